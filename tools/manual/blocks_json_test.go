package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agentsentinel/sentinel/internal/bench"
	"github.com/agentsentinel/sentinel/internal/judgebench"
	"github.com/agentsentinel/sentinel/internal/pagetest"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// outputs are the schemas of all that commands print, and of the parts of that.
var outputs = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	files, err := filepath.Glob(filepath.Join(top, "docs", "reference", "json", "*", "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Resolved{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		parts := map[string]*jsonschema.Schema{"": s.CloneSchemas()}
		for name := range s.Definitions {
			part := s.CloneSchemas()
			part.ID, part.AllOf = "", []*jsonschema.Schema{{Ref: "#/definitions/" + name}}
			parts["#"+name] = part
		}
		for name, part := range parts {
			resolved, err := part.Resolve(nil)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", file, name, err)
			}
			all[filepath.Base(file)+name] = resolved
		}
	}
	return all, nil
})

var schemaAddress = regexp.MustCompile(`https://raw\.githubusercontent\.com/agentsentinel/sentinel/main/([\w./-]+\.json)`)

// checkJSON parses each value of a block, and wants each to be one that Sentinel reads or
// writes: output of a command or a whole part of it, a line of the log, a case for a
// benchmark. Settings of an editor are to name schemas that are there.
func checkJSON(b *pagetest.Block) error {
	schemas, err := outputs()
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(strings.NewReader(b.Text)); ; {
		var value json.RawMessage
		if err := dec.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return err
		}
		if !known(value, v, schemas) {
			return errUnknown
		}
	}
}

// known reports whether a value is one that Sentinel reads or writes.
func known(text []byte, value any, schemas map[string]*jsonschema.Resolved) bool {
	for _, s := range schemas {
		if m, ok := value.(map[string]any); ok && len(m) > 1 && s.Validate(value) == nil {
			return true
		}
	}
	line := append(bytes.ReplaceAll(text, []byte("\n"), []byte(" ")), '\n')
	if _, err := telemetry.Parse(line); err == nil && bytes.Contains(text, []byte(`"ts"`)) {
		return true
	}
	if cases, err := bench.Read(bytes.NewReader(line)); err == nil && bytes.Contains(text, []byte(`"command"`)) && len(cases) == 1 {
		return true
	}
	anyRule := func(id string) (rule.File, bool) {
		return rule.Parse(id+".yaml", []byte("trigger: any\nprompt: p\n")), true
	}
	if source, err := judgebench.Read("block", bytes.NewReader(line), anyRule); err == nil && bytes.Contains(text, []byte(`"label"`)) && len(source.Cases) == 1 {
		return true
	}
	addresses := schemaAddress.FindAllSubmatch(text, -1)
	for _, m := range addresses {
		if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(string(m[1])))); err != nil {
			return false
		}
	}
	return len(addresses) > 0
}

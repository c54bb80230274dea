package ruletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/agentsentinel/sentinel/internal/yamledit"
)

// A Recording is an answer that a model gave, to stand beside its case.
type Recording struct {
	Case   *Case
	Answer json.RawMessage
}

// Record asks the real backends once about every case for which a model is
// asked. A question that got no answer is an error beside the others' answers.
func Record(ctx context.Context, suites []Suite, opts *Options) ([]Recording, error) {
	trials, err := Live(ctx, suites, opts, &LiveOptions{})
	var all []Recording
	errs := []error{err}
	for _, t := range trials {
		for i := range t.Answers {
			a := &t.Answers[i]
			if a.Err != nil {
				errs = append(errs, fmt.Errorf("%s, %s: %w", t.Rule, a.Case.Name(), a.Err))
				continue
			}
			all = append(all, Recording{a.Case, json.RawMessage(a.Text)})
		}
	}
	return all, errors.Join(errs...)
}

// Write returns the text of a file with the recordings for its cases in it;
// everything else in it stays as it is.
func Write(path string, data []byte, recordings []Recording) ([]byte, error) {
	for _, r := range recordings {
		if r.Case.File != path {
			continue
		}
		var err error
		if strings.EqualFold(filepath.Ext(path), ".json") {
			data, err = writeJSON(data, r)
		} else {
			data, err = writeYAML(data, r)
		}
		if err != nil {
			return nil, fmt.Errorf("ruletest: %s: case %d: %w", path, r.Case.Index+1, err)
		}
	}
	return data, nil
}

func writeYAML(data []byte, r Recording) ([]byte, error) {
	var answer any
	if err := json.Unmarshal(r.Answer, &answer); err != nil {
		return nil, err
	}
	where := []string{"tests", strconv.Itoa(r.Case.Index), "answer"}
	out, err := yamledit.Set(data, where, answer)
	if err != nil && listOfCases(data) {
		return yamledit.Set(data, where[1:], answer)
	}
	return out, err
}

// listOfCases reports whether a file of cases is a list, and no mapping.
func listOfCases(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line != "---" {
			return line[0] == '-'
		}
	}
	return false
}

func writeJSON(data []byte, r Recording) ([]byte, error) {
	where := fmt.Sprintf("tests.%d.answer", r.Case.Index)
	if gjson.ParseBytes(data).IsArray() {
		where = where[len("tests."):]
	}
	return sjson.SetRawBytes(slices.Clone(data), where, r.Answer)
}

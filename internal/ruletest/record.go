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

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/yamledit"
)

// A Recording is an answer that a model gave, to be kept with its case.
type Recording struct {
	Case   *Case
	Answer json.RawMessage
}

// Record asks the real backends once about every case for which a model is
// asked. A question that got no answer is an error, returned with the others' answers.
func Record(ctx context.Context, suites []Suite, opts *Options) ([]Recording, error) {
	trials, err := Live(ctx, suites, opts, &LiveOptions{})
	var all []Recording
	var failed []error
	for _, t := range trials {
		for i := range t.Answers {
			a := &t.Answers[i]
			if a.Err != nil {
				failed = append(failed, fmt.Errorf("%s, %s: %w", t.Rule, a.Case.Name(), a.Err))
				continue
			}
			all = append(all, Recording{a.Case, json.RawMessage(a.Text)})
		}
	}
	return all, errors.Join(append(some(failed), err)...)
}

// mostErrors is how many errors are listed one by one: a server that is gone fails
// every case.
const mostErrors = 5

func some(errs []error) []error {
	if len(errs) <= mostErrors {
		return errs
	}
	return append(errs[:mostErrors:mostErrors], fmt.Errorf("ruletest: %d more cases failed in such a way", len(errs)-mostErrors))
}

// Write returns the text of a file with the recordings for its cases in it, and
// how many these are; everything else in it stays as it is. A case that cannot be
// changed safely is an error, returned with the text that has the others.
func Write(path string, data []byte, recordings []Recording) (out []byte, written int, err error) {
	var errs []error
	for _, r := range recordings {
		if r.Case.File != path {
			continue
		}
		write := writeYAML
		if strings.EqualFold(filepath.Ext(path), ".json") {
			write = writeJSON
		}
		changed, err := write(data, r)
		if err != nil {
			errs = append(errs, fmt.Errorf("ruletest: %s: case %d: %w; the answer is %s", path, r.Case.Index+1, err, text.Line(string(r.Answer))))
			continue
		}
		data = changed
		written++
	}
	return data, written, errors.Join(some(errs)...)
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

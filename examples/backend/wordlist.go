// Package wordlist is a backend of a third party: a judge that knows words which
// must not turn up, code names and customers, say. It asks no model and no
// network. The lists are part of the configuration, so that many rules share one:
//
//	backends:
//	  wordlist:
//	    lists:
//	      codenames: ['(?i)\bproject[ -]?heron\b', '\bHRN-\d+']
//
// and a rule names its list as its model:
//
//	backend: wordlist
//	model: codenames
package wordlist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

// Name is the name of the backend in rules and configuration.
const Name = "wordlist"

// Settings are the keys under backends.wordlist.
type Settings struct {
	Lists map[string][]string `json:"lists"` // regular expressions of Go, by the name of their list
	Model string              `json:"model"` // list of a rule that names none; "" means that such a rule cannot be judged
}

// A Judge finds words in what an action says. It is immutable and safe for
// concurrent use.
type Judge struct {
	lists    map[string][]*regexp.Regexp
	standard string
}

var (
	_ sentinel.Backend = (*Judge)(nil)
	_ sentinel.Pinger  = (*Judge)(nil)
)

// New compiles the lists. An error says which expression is wrong.
func New(s Settings) (*Judge, error) {
	j := &Judge{lists: make(map[string][]*regexp.Regexp, len(s.Lists)), standard: s.Model}
	for _, name := range slices.Sorted(maps.Keys(s.Lists)) {
		for _, text := range s.Lists[name] {
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("%w: backends.%s.lists.%s: %w", sentinel.ErrUnavailable, Name, name, err)
			}
			j.lists[name] = append(j.lists[name], re)
		}
	}
	return j, nil
}

// FromConfig builds the judge from a configuration; it is what a command is given
// as its builder. A setting that is not known is an error.
func FromConfig(c config.Config) (sentinel.Backend, error) {
	var s Settings
	if raw := c.Backends.Other[Name]; len(raw) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("%w: backends.%s: %w", sentinel.ErrUnavailable, Name, err)
		}
	}
	return New(s)
}

// Complete says whether the action holds a word of the list that req.Model names.
// A question that is about no action, and a list that is not there, are
// [sentinel.ErrUnavailable]: to know nothing is not to find nothing.
func (j *Judge) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	list, name, err := j.list(req.Model)
	switch {
	case err != nil:
	case len(req.Images) > 0:
		err = fmt.Errorf("%w: it reads no images", errors.ErrUnsupported)
	case req.Action == nil:
		err = fmt.Errorf("%w: it judges actions, and this question is about none", sentinel.ErrUnavailable)
	}
	if err != nil {
		return sentinel.Response{}, failed("complete", err)
	}
	found, err := find(ctx, list, said(req.Action))
	if err != nil {
		return sentinel.Response{}, failed("complete", err)
	}
	verdict := `{"violation":false,"confidence":1}`
	if found != "" {
		verdict = violation(fmt.Sprintf("it holds %.60q, which the list %q does not allow", found, name))
	}
	return sentinel.Response{Text: verdict, Backend: Name, Model: name}, nil
}

// Ping says whether there is a list of that name.
func (j *Judge) Ping(ctx context.Context, model string) error {
	_, _, err := j.list(model)
	if model == "" && j.standard == "" {
		err = nil // every rule has to name its own: nothing is wrong with the judge
	}
	if err = errors.Join(ctx.Err(), err); err != nil {
		return failed("ping", err)
	}
	return nil
}

func (j *Judge) list(model string) ([]*regexp.Regexp, string, error) {
	if model == "" {
		model = j.standard
	}
	list, ok := j.lists[model]
	if !ok {
		return nil, "", fmt.Errorf("%w: there is no list %q: a rule names one of %q as its model", sentinel.ErrUnavailable, model, slices.Sorted(maps.Keys(j.lists)))
	}
	return list, model, nil
}

// said is everything that an action says: the command or the path, the new
// content, the arguments of an MCP tool.
func said(a *sentinel.Action) string {
	return strings.Join([]string{a.Target, a.Content, string(a.Args)}, "\n")
}

// A text is searched in windows, so that the judge stops soon after its caller
// gives up. A word longer than the overlap may be missed at their borders.
const window, overlap = 64 << 10, 1 << 10

// find returns the first word of the list in text, or "".
func find(ctx context.Context, list []*regexp.Regexp, text string) (string, error) {
	for from := 0; ; from += window - overlap {
		part := text[from:min(from+window, len(text))]
		for _, re := range list {
			if err := ctx.Err(); err != nil {
				return "", fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
			}
			if at := re.FindStringIndex(part); at != nil && at[0] < at[1] {
				return part[at[0]:at[1]], nil
			}
		}
		if from+window >= len(text) {
			return "", nil
		}
	}
}

func violation(reason string) string {
	text, _ := json.Marshal(map[string]any{"violation": true, "confidence": 1, "reason": reason}) // plain values: cannot fail
	return string(text)
}

func failed(op string, err error) error {
	return &sentinel.BackendError{Backend: Name, Op: op, Err: err}
}

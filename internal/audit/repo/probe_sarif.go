package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// sarifLog is what is read of the format SARIF 2.1.0.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name  string `json:"name"`
				Rules []struct {
					ID      string `json:"id"`
					Default struct {
						Level string `json:"level"`
					} `json:"defaultConfiguration"`
				} `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Kind         string            `json:"kind"`
	Suppressions []json.RawMessage `json:"suppressions"`
	Message      struct {
		Text string `json:"text"`
	} `json:"message"`
	Locations []struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine int `json:"startLine"`
				EndLine   int `json:"endLine"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
}

// sarifTask counts the findings of other tools that a file of the repository
// lists. A finding in such a file counts as a fact; a file without findings is only the
// repository's claim.
func (in *investigation) sarifTask(p *rubric.Probe) (*task, error) {
	chosen, err := in.choose(rubric.Files{Include: []string{p.File}}, "text", texts)
	if err != nil {
		return nil, err
	}
	look := func(_ context.Context, s *source) found {
		var log sarifLog
		if err := json.Unmarshal(s.content, &log); err != nil {
			return found{gap: &gap{s.file.Path, audit.Error, "it is no SARIF: " + text.Name(text.CutBytes(err.Error(), 150))}}
		}
		var f found
		for _, run := range log.Runs {
			levels := map[string]string{}
			for _, rule := range run.Tool.Driver.Rules {
				levels[rule.ID] = rule.Default.Level
			}
			for i := range run.Results {
				if r := &run.Results[i]; r.counts(p.Level, levels[r.RuleID]) {
					f.add(in.sarifPlace(s.file, run.Tool.Driver.Name, r))
				}
			}
		}
		return f
	}
	return &task{chosen: chosen, look: look, conclude: func(ctx context.Context, all []found) result {
		r := countPlaces("no such file", "finding", "findings")(ctx, all)
		if len(r.places) == 0 {
			r.kind = audit.KindClaim
		}
		return r
	}}, nil
}

// counts reports whether a result is a finding of at least that level. Without one
// of its own it has its rule's, and without that it is a warning (SARIF 3.27.10).
func (r *sarifResult) counts(least, ofRule string) bool {
	if len(r.Suppressions) > 0 || r.Kind != "" && r.Kind != "fail" {
		return false
	}
	level := r.Level
	if level == "" {
		level = ofRule
	}
	if level == "" {
		level = "warning"
	}
	order := []string{"none", "note", "warning", "error"}
	if least == "" {
		least = "note"
	}
	return slices.Index(order, level) >= slices.Index(order, least)
}

// sarifPlace is where a result is, if that is a file of the tree; else it is the
// file that lists it.
func (in *investigation) sarifPlace(log *File, tool string, r *sarifResult) place {
	at := place{path: log.Path, snippet: r.Message.Text}
	at.summary = text.Name(text.CutBytes(fmt.Sprintf("%s: %s", tool, r.RuleID), 200))
	for _, l := range r.Locations {
		path := l.Physical.Artifact.URI
		if decoded, err := url.PathUnescape(path); err == nil {
			path = decoded
		}
		path = strings.TrimPrefix(path, "./")
		if _, ok := in.repo.find(path); ok {
			at.path, at.first = path, max(l.Physical.Region.StartLine, 0)
			at.last = max(at.first, l.Physical.Region.EndLine)
			return at
		}
	}
	return at
}

package repo

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// choose returns which files the patterns choose, of those that keep takes. No
// include takes all. The same patterns are tried once.
func (in *investigation) choose(files rubric.Files, key string, keep func(*File) bool) ([]bool, error) {
	key = strings.Join([]string{key, strings.Join(files.Include, "\x00"), strings.Join(files.Exclude, "\x00")}, "\x01")
	if chosen, ok := in.chosen[key]; ok {
		return chosen, nil
	}
	include, err := rubric.CompilePatterns(files.Include)
	if err != nil {
		return nil, err
	}
	exclude, err := rubric.CompilePatterns(files.Exclude)
	if err != nil {
		return nil, err
	}
	chosen := make([]bool, len(in.repo.files))
	for i := range in.repo.files {
		f := &in.repo.files[i]
		if !keep(f) {
			continue
		}
		_, included := include.Match(f.Path)
		_, excluded := exclude.Match(f.Path)
		chosen[i] = (included || len(files.Include) == 0) && !excluded
	}
	in.chosen[key] = chosen
	return chosen, nil
}

// texts takes files that can hold text.
func texts(f *File) bool { return f.Regular() && !isBinary(f.Path) }

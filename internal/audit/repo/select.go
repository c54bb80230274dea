package repo

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// A choice is which files a probe looks at, by their numbers.
type choice struct {
	files []bool
	left  int // files that the probe would look at, and that its patterns leave out
}

// choose returns which files the patterns choose, of those that keep takes. No
// include takes all. The same patterns are tried once.
func (in *investigation) choose(files rubric.Files, key string, keep func(*File) bool) (choice, error) {
	key = strings.Join([]string{key, strings.Join(files.Include, "\x00"), strings.Join(files.Exclude, "\x00")}, "\x01")
	if chosen, ok := in.chosen[key]; ok {
		return chosen, nil
	}
	include, err := in.anyOf(files.Include)
	if err != nil {
		return choice{}, err
	}
	exclude, err := in.anyOf(files.Exclude)
	if err != nil {
		return choice{}, err
	}
	chosen := choice{files: make([]bool, len(in.repo.files))}
	for i := range in.repo.files {
		switch wanted := (include[i] || len(files.Include) == 0) && keep(&in.repo.files[i]); {
		case wanted && exclude[i]:
			chosen.left++
		case wanted:
			chosen.files[i] = true
		}
	}
	in.chosen[key] = chosen
	return chosen, nil
}

// anyOf returns which files one of the patterns matches. Probes share most of their
// patterns, so that each is tried on the files once.
func (in *investigation) anyOf(patterns []string) ([]bool, error) {
	matched := make([]bool, len(in.repo.files))
	for _, pattern := range patterns {
		one, known := in.matched[pattern]
		if !known {
			compiled, err := rubric.CompilePatterns([]string{pattern})
			if err != nil {
				return nil, err
			}
			one = make([]bool, len(in.repo.files))
			for i := range in.repo.files {
				_, one[i] = compiled.Match(in.repo.files[i].Path)
			}
			in.matched[pattern] = one
		}
		for i, is := range one {
			matched[i] = matched[i] || is
		}
	}
	return matched, nil
}

// texts takes files that can hold text.
func texts(f *File) bool { return f.Regular() && !isBinary(f.Path) }

package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// OpenRubric returns a rubric with all its problems: that of text under the name,
// or without text the embedded one of that name, or the file. One that cannot be
// read is an error. One of its problems may still be an error.
func OpenRubric(name string, text []byte) (*rubric.Rubric, []rubric.Problem, error) {
	var rb *rubric.Rubric
	var err error
	switch {
	case text != nil:
		rb, _, err = rubric.Parse(name, text)
	case slices.Contains(rubric.Names(), name):
		rb, err = rubric.Embedded(name)
	default:
		rb, _, err = rubric.Load(name)
	}
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(name) == name {
		return nil, nil, fmt.Errorf("%w; no rubric of that name comes with the program either: there are %s", err, strings.Join(rubric.Names(), ", "))
	}
	if err != nil {
		return nil, nil, err
	}
	return rb, rb.Lint(repo.Check), nil
}

package instructions

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/tables"
)

//go:embed readings.yaml
var readingsFile []byte

// A reading counts the drafts of a form that were compared with their lines, and the wrong ones.
type reading struct{ Read, Wrong int }

// readings are those of the forms, by name.
var readings = sync.OnceValue(func() (all map[string]reading) {
	tables.Parse("readings.yaml", readingsFile, &all)
	return all
})

// doubtful is the least share of wrong drafts, in percent, for which Doubt has a text.
const doubtful = 15

// Doubt returns a text that says how often drafts of the same form were wrong about their lines, or that
// few of them were read. It is "" where readers found few of its drafts wrong.
func (d *Draft) Doubt() string {
	r, known := readings()[d.Form]
	switch {
	case !known:
		return "few such drafts were read beside their lines: compare it with its line"
	case 100*r.Wrong < doubtful*r.Read:
		return ""
	}
	return fmt.Sprintf("%d of %d such drafts that were read beside their lines were wrong: compare it with its line", r.Wrong, r.Read)
}

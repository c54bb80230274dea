package instructions

import (
	_ "embed"
	"fmt"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed readings.yaml
var readingsFile []byte

// A reading is how many drafts of a form were read beside their lines, and how many were wrong.
type reading struct{ Read, Wrong int }

// readings are those of the forms, by name.
var readings = sync.OnceValue(func() (all map[string]reading) {
	if err := yaml.Unmarshal(readingsFile, &all); err != nil {
		panic("instructions: readings.yaml: " + err.Error())
	}
	return all
})

// doubtful is the share of wrong drafts, in percent, from which a draft of the form says so.
const doubtful = 15

// Doubt says how often drafts of the same form were wrong about their lines: "" where that was
// seldom, or where few were read.
func (d *Draft) Doubt() string {
	r := readings()[d.Form]
	if r.Read == 0 || 100*r.Wrong < doubtful*r.Read {
		return ""
	}
	return fmt.Sprintf("%d of %d such drafts that were read beside their lines were wrong: compare it with its line", r.Wrong, r.Read)
}

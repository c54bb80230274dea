package transcript

import (
	"cmp"
	"slices"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// A format reads the lines of one agent.
type format interface {
	// read fills the row from the line that begins here. It takes one value.
	read(s *jsonscan.Scanner, w *row)
}

// A knownFormat is one format, and how one line shows it.
type knownFormat struct {
	name   string
	format format
	alike  string // a format with the same rows, whose lines may lack the marks of this one
	whole  bool   // a file may be one JSON document
	shows  func(f *features) bool
}

// formats has all formats, each in the file of its name. The first one that a line shows
// is that of the file.
var formats = [...]*knownFormat{&journalRecords, &codexRecords, &vscodeRecords, &copilotRecords, &piRecords, &geminiRecords, &qwenRecords, &claudeRecords}

// Formats returns the names of the formats that can be read.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// formatNamed returns a format, or false when none has this name.
func formatNamed(name string) (*knownFormat, bool) {
	for _, f := range formats {
		if f.name == name {
			return f, true
		}
	}
	return &knownFormat{}, false
}

// formatOf reads the lines in the format that the state names, whose agent tells results so;
// nil when nothing is known.
func (st *known) formatOf() (format, agent.Results) {
	f, _ := formatNamed(cmp.Or(st.Format, st.Agent))
	if introduced := (agent.Registry{}).Find(f.name); introduced != nil {
		return f.format, introduced.Results
	}
	return f.format, agent.Results{}
}

// owner is the agent of a file of this format. The caller's own word counts where the
// content does not contradict it.
func (o *Options) owner(name string) string {
	hinted, isFormat := formatNamed(o.Agent)
	switch {
	case isFormat && hinted.alike == name, !isFormat && o.Agent != "" && o.Format == name:
		return o.Agent
	}
	return name
}

// wholeFormat is the name of the format of a file that is one JSON document.
func wholeFormat() string {
	at := slices.IndexFunc(formats[:], func(f *knownFormat) bool { return f.whole })
	return formats[at].name
}

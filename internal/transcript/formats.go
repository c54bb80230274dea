package transcript

import (
	"cmp"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// formatJournal is the name of Sentinel's own format. Package agent has those of the agents.
const formatJournal = "journal"

// A format reads the lines of one agent.
type format interface {
	// read fills the row from the line that begins here. It takes one value.
	read(s *jsonscan.Scanner, w *row)
}

// A known format, and how one line shows it.
type knownFormat struct {
	name   string
	format format
	alike  string // a format with the same rows, whose lines may lack the marks of this one
	shows  func(f *features) bool
}

// formats lists all formats. The first one that a line shows is that of the file.
func formats() []knownFormat {
	return []knownFormat{
		{name: formatJournal, format: journalFormat{}, shows: func(f *features) bool { return f.journal }},
		{name: agent.FormatCodex, format: codex{}, shows: func(f *features) bool { return f.payload && f.stamped && codexKind(f.kind) }},
		{name: agent.FormatVSCode, format: copilot{}, alike: agent.FormatCopilot, shows: func(f *features) bool { return f.copilot() && f.editor }},
		{name: agent.FormatCopilot, format: copilot{}, shows: func(f *features) bool { return f.copilot() }},
		{name: agent.FormatPi, format: pi{}, shows: (*features).pi},
		{name: agent.FormatGemini, format: gemini{}, shows: (*features).gemini},
		{name: agent.FormatQwen, format: qwen{}, shows: func(f *features) bool { return f.uuid && f.session && (f.parts || f.system) }},
		{name: agent.FormatClaude, format: claude{}, shows: func(f *features) bool {
			return f.uuid && (f.content || f.sidechain || f.user) && claudeKind(f.kind)
		}},
	}
}

// Formats returns the names of the formats that can be read.
func Formats() (names []string) {
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// formatNamed returns a format, or false when none has this name.
func formatNamed(name string) (knownFormat, bool) {
	for _, f := range formats() {
		if f.name == name {
			return f, true
		}
	}
	return knownFormat{}, false
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

func (f *features) copilot() bool {
	return f.data && (f.parent || f.id) && strings.Contains(f.kind, ".")
}

func (f *features) pi() bool {
	return f.id && f.stamped && !f.uuid && (f.kind == "session" && f.cwd || f.kind == "message" && f.parent && f.content)
}

func (f *features) gemini() bool {
	switch {
	case f.uuid:
		return false
	case f.set, f.session && f.project:
		return true
	}
	return f.id && f.stamped && f.contents && (f.kind == "user" || f.kind == geminiMessage)
}

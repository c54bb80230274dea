// Package sarif writes findings in the Static Analysis Results Interchange
// Format 2.1.0 (OASIS), which code hosts show at the lines of a change.
//
// It is the part of the format that Sentinel fills. A library for the whole of
// it validates by a JSON Schema that it compiles when a program starts, which
// each hook call would pay for.
package sarif

import (
	"encoding/json"
	"io"
)

// Levels of a [Result].
const (
	LevelError   = "error"
	LevelWarning = "warning"
	LevelNote    = "note"
)

// A Log is the root of the format.
type Log struct {
	Runs []Run `json:"runs"`
}

// A Run is what one tool found in one go.
type Run struct {
	Tool        Tool           `json:"tool"`
	Invocations []Invocation   `json:"invocations,omitempty"`
	Results     []Result       `json:"results"` // an empty list says "looked, and found nothing"
	Properties  map[string]any `json:"properties,omitempty"`
}

// A Tool is who found it.
type Tool struct {
	Driver Driver `json:"driver"`
}

// A Driver is the tool's program and its rules.
type Driver struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rules   []Rule `json:"rules,omitempty"`
}

// A Rule describes what results refer to by its ID.
type Rule struct {
	ID              string         `json:"id"`
	Short           *Message       `json:"shortDescription,omitempty"`
	FullDescription *Message       `json:"fullDescription,omitempty"`
	Help            *Message       `json:"help,omitempty"`
	Default         *Configuration `json:"defaultConfiguration,omitempty"`
	Properties      map[string]any `json:"properties,omitempty"`
}

// A Configuration is how severe a rule's results are.
type Configuration struct {
	Level string `json:"level"`
}

// An Invocation says whether the tool could do its work.
type Invocation struct {
	Successful    bool           `json:"executionSuccessful"`
	Notifications []Notification `json:"toolExecutionNotifications,omitempty"`
}

// A Notification is what went wrong in an invocation, such as a rule that could
// not be judged.
type Notification struct {
	Level   string  `json:"level"`
	Message Message `json:"message"`
}

// A Result is one finding.
type Result struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      Message           `json:"message"`
	Locations    []Location        `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Suppressions []Suppression     `json:"suppressions,omitempty"`
	Properties   map[string]any    `json:"properties,omitempty"`
}

// A Suppression says that the user has accepted a result, and why.
type Suppression struct {
	Kind          string `json:"kind"` // "inSource" or "external"
	Justification string `json:"justification,omitempty"`
}

// A Message is a text for people.
type Message struct {
	Text string `json:"text"`
}

// Text returns a message.
func Text(s string) Message { return Message{Text: s} }

// A Location is where a result is.
type Location struct {
	Physical Physical `json:"physicalLocation"`
}

// Physical is a part of a file.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// An Artifact is a file, by its path from the root of the repository.
type Artifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

// A Region is a range of lines, from 1 and inclusive.
type Region struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine,omitempty"`
}

// At returns the location of lines first to last of a file; a first line below 1
// means the whole file. path has slashes and starts from the repository's root.
func At(path string, first, last int) Location {
	l := Location{Physical{Artifact: Artifact{URI: escape(path), URIBaseID: "%SRCROOT%"}}}
	if first >= 1 {
		l.Physical.Region = &Region{StartLine: first, EndLine: max(first, last)}
	}
	return l
}

// escape makes a path a relative URI reference. A file's name is hostile: it may
// look like a scheme, and hold anything.
func escape(path string) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '-', c == '_', c == '.', c == '~':
			b = append(b, c)
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// Write writes the log, indented, with its version and schema.
func (l Log) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Version string `json:"version"`
		Schema  string `json:"$schema"`
		Log
	}{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", l})
}

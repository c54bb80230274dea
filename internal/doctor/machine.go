package doctor

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// A presence is what of an agent is on this machine.
type presence struct {
	where   string // a program, an application or an extension; "" when there is none
	version string // "" when it is not known
}

// machine looks for an agent. A program that lies in a repository counts as there,
// and is not run.
func (d *doctor) machine(ctx context.Context, a *agent.Agent) presence {
	path := setup.OnMachine(a, d.place)
	if path == "" {
		return presence{}
	}
	return presence{path, d.versionOf(ctx, path, a.Traces.Version && setup.Executable(path))}
}

// versionOf reads the version of an agent in the package that its program is part
// of, and otherwise asks the program if it may be run.
func (d *doctor) versionOf(ctx context.Context, path string, asks bool) string {
	if v := packageVersion(resolved(path)); v != "" {
		return v
	}
	if !asks || d.holder(path) != "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, d.Patience/3)
	defer cancel()
	out, err := d.run(ctx, subprocess.Program{Argv: []string{path, "--version"}})
	if err != nil || out.Exit != 0 {
		return ""
	}
	return firstVersion(string(out.Stdout))
}

// packageVersion is that of the extension that a folder is, or of the npm package that
// holds a program: as it is written in package.json, a few folders up. The folder of
// another package above a script that somebody wrote tells nothing.
func packageVersion(path string) string {
	const most = 4
	for i := range most {
		data, err := safefile.Read(filepath.Join(path, "package.json"), maxRead)
		var p struct{ Name, Version string }
		if err == nil && json.Unmarshal(data, &p) == nil && p.Name != "" && p.Version != "" &&
			(i == 0 || strings.HasSuffix(filepath.ToSlash(path), "node_modules/"+p.Name)) {
			return firstVersion(p.Version)
		}
		path = filepath.Dir(path)
	}
	return ""
}

// maxRead bounds what is read of a file that others wrote, in bytes.
const maxRead = 1 << 20

// firstVersion finds the first thing in a text that looks like 1.2.3.
func firstVersion(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		if word = strings.Trim(word, "."); len(numbers(word)) >= 2 {
			return word
		}
	}
	return ""
}

// older reports whether version a is below b; what is not known is not.
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	if x == nil || y == nil {
		return false
	}
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// numbers are the parts of a version, nil if s is not one.
func numbers(version string) (parts []int) {
	for text := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || len(parts) == 4 {
			return nil
		}
		parts = append(parts, n)
	}
	return parts
}

package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// formats records formatters and their like, which write the files that their
// operands name. Which of them they change is for the files to tell.
func (w walker) formats(c *recorded) {
	if out, ok := c.Value("-o"); ok && c.Program == "go" {
		w.note(EffectCreate, c.index, c.named(out))
	}
	f := table.FindFormat(c.Program, c.Subcommand)
	if f == "" || !c.writesFormatted(f) {
		return
	}
	operands := c.operands
	if c.facts.Has("subcommands") && !(f.Has("bare") && (len(operands) == 0 || !f.Lists("sub", operands[0].text))) {
		operands = c.rest(1)
	}
	operands = operands[min(len(operands), f.Skip()):]
	if f.Has("none") || len(operands) == 0 && f.Has("all") {
		operands = []field{{text: ".", inner: -1}}
	}
	for _, operand := range operands {
		for _, name := range orText(operand) {
			w.formatsPath(c, f, name)
		}
	}
}

// writesFormatted reports whether the options of a formatter say that it writes.
func (c *recorded) writesFormatted(f table.Program) bool {
	given := func(o string) bool { return c.HasFlag(o) || slices.Contains(c.Args, o) }
	if slices.ContainsFunc(f.List("unless"), given) {
		return false
	}
	when := f.List("when")
	return len(when) == 0 || slices.ContainsFunc(when, given)
}

// formatsPath records that a formatter writes a file, or the files with its endings
// in a folder. It leaves hidden folders out, as these programs do.
func (w walker) formatsPath(c *recorded, f table.Program, name string) {
	name = strings.TrimSuffix(name, "/...") // ./... of Go
	ext := path.Ext(path.Base(name))
	if hasGlob(name) || len(ext) > 1 && path.Base(name) != ".." {
		w.noteGuess(EffectEdit, c.index, field{text: name, inner: -1})
		return
	}
	edit := Effect{Kind: EffectEdit, Command: c.index}
	dir, files := strings.TrimSuffix(name, "/"), "*"
	if ext := f.Value("ext"); ext != "" {
		edit.Origin, files = OriginSettings, "*.@("+strings.ReplaceAll(ext, ",", "|")+")"
	} else { // it may be a file
		w.guessed(edit, field{text: name, inner: -1})
	}
	for _, p := range []string{dir + "/" + files, dir + "/*/**/" + files} {
		w.guessed(edit, field{text: p, inner: -1})
	}
}

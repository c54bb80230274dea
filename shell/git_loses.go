package shell

import (
	"slices"
	"strings"
)

// gitPush records the branches of a remote that a push overwrites or deletes.
func (w walker) gitPush(c *recorded) {
	if w.dryPush(c) || len(c.operands) == 0 {
		return
	}
	force := c.HasFlag("-f", "--force", "--mirror", "--prune")
	deletes := c.HasFlag("-d", "--delete")
	remote := "origin"
	if len(c.operands) > 1 {
		remote = c.operands[1].text
	} else if repo, ok := c.Value("--repo"); ok {
		remote = repo
	}
	e := Effect{Kind: EffectLose, Command: c.index, To: remote}
	specs := c.rest(2)
	if len(specs) == 0 {
		given, guess := w.given(w.gitGiven(c)).gitDefined(pushDefined)
		for _, text := range given {
			specs = append(specs, field{text: text, span: c.span, inner: -1, known: !guess})
		}
	}
	if force && len(specs) == 0 {
		w.acts(e, field{text: "HEAD", inner: -1, known: true})
	}
	for _, f := range specs {
		if force || deletes || strings.HasPrefix(f.text, "+") || len(f.text) > 1 && f.text[0] == ':' {
			if f.text = refOf(f.text); f.text == "" { // ":" are all branches that both have
				f.text = "HEAD"
			}
			w.acts(e, f)
		}
	}
}

// dryPush reports whether a push only says what it would do.
func (w walker) dryPush(c *recorded) bool {
	dry := func(f string) bool {
		return f == "-n" || f == "--dry-run" || len(f) > 1 && f[1] != '-' && strings.Contains(f, "n")
	}
	last := -1
	for i, f := range c.Flags {
		if dry(f) {
			last = i
		}
	}
	return last >= 0 && !slices.Contains(c.Flags[last:], "--no-dry-run")
}

// refOf is the branch that a refspec writes.
func refOf(spec string) string {
	spec = strings.TrimPrefix(spec, "+")
	if i := strings.LastIndexByte(spec, ':'); i >= 0 {
		spec = spec[i+1:]
	}
	return strings.TrimPrefix(spec, "refs/heads/")
}

// gitFetch records the branches here that a fetch overwrites: +other:main.
func (w walker) gitFetch(c *recorded) {
	for _, f := range c.rest(2) {
		_, to, ok := strings.Cut(f.text, ":")
		if !ok || to == "" || strings.HasPrefix(to, "refs/remotes/") || !strings.HasPrefix(f.text, "+") && !c.HasFlag("-f", "--force") {
			continue
		}
		f.text = strings.TrimPrefix(to, "refs/heads/")
		w.acts(Effect{Kind: EffectLose, Command: c.index}, f)
	}
}

// sure returns a walker that takes a command as certain whose text is a guess: what is
// uncertain then is so by its words.
func (w walker) sure() walker {
	f := *w.frame
	f.guess = false
	w.frame = &f
	return w
}

// gitOverwritten records that changes in files are lost which a checkout or restore
// names. from is where the effects start that a walker of sure recorded.
func (w walker) gitOverwritten(c *recorded, from int) {
	patch := c.HasFlag("-p", "--patch")
	for _, e := range w.line.Effects[from:] {
		if !patch && e.Kind == EffectEdit && (e.Certain || e.Origin != OriginLiteral) && !w.full() {
			e.Kind, e.Object = EffectLose, "changes"
			w.line.Effects = append(w.line.Effects, e)
		}
	}
	for i := range w.line.Effects[from:] {
		e := &w.line.Effects[from+i]
		e.Certain = e.Certain && !w.guess
	}
	if !patch && c.HasFlag("--pathspec-from-file") {
		w.onPath(Effect{Kind: EffectLose, Command: c.index, Object: "changes"}, field{text: "**/*", inner: -1, glob: true})
	}
}

// gitDropped records the commits that a rebase loses because the program that edits its
// list drops them, or empties the list.
func (w walker) gitDropped(c *recorded) {
	for _, a := range c.Assigns {
		editor, ok := strings.CutPrefix(a, "GIT_SEQUENCE_EDITOR=")
		if words := strings.FieldsFunc(editor, func(r rune) bool { return r < 'a' || r > 'z' }); ok &&
			(slices.Contains(words, "drop") || slices.Contains(words, "d") || slices.Contains(words, "truncate")) {
			w.acts(Effect{Kind: EffectLose, Command: c.index}, field{text: "commits", inner: -1})
		}
	}
}

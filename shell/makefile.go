package shell

import (
	"regexp"
	"slices"
	"strings"
)

// makefile walks the recipes of a file that make is given by name, those of the targets
// that are made.
func (w walker) makefile(c *recorded) {
	w.evaluated(c)
	file, ok := c.Value("-f", "--file", "--makefile")
	if !ok || c.HasFlag("-n", "--dry-run") {
		return
	}
	w = w.subshell()
	w.env.dir, w.env.lost = c.Dir, c.DirUnknown
	f := c.named(file)
	content := w.input(asScript)
	if !isStdin(file) {
		w.line.Commands[c.index].Script = f.text
		w.note(EffectRead, c.index, f)
		if content, _ = w.fileContent(f); !content.known {
			content = w.readScript(f)
		}
	}
	if content.known {
		content.text = recipes(content.text, c.Operands)
		w.last = c.index
		w.script(f, content, "")
	}
}

// A target is what a makefile says how to make.
type target struct {
	names, needs, commands []string
}

// recipes are the commands for some targets, for the first one without any, and for all
// that these need; each is in a shell of its own. A target that has no rule of its name
// may be made by those with a pattern or a variable in theirs.
func recipes(text string, wanted []string) string {
	all := targets(text)
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(w string) bool { return strings.Contains(w, "=") })
	if len(wanted) == 0 && len(all) > 0 {
		wanted = all[0].names
	}
	var b strings.Builder
	used := make([]bool, len(all))
	for i := 0; i < len(wanted) && i < maxCommands; i++ {
		named := slices.ContainsFunc(all, func(t target) bool { return slices.Contains(t.names, wanted[i]) })
		for n, t := range all {
			makes := slices.ContainsFunc(t.names, func(name string) bool { return name == wanted[i] || !named && strings.ContainsAny(name, "%$") })
			if makes && !used[n] {
				used[n], wanted = true, append(slices.Clip(wanted), t.needs...)
				b.WriteString("(" + strings.Join(t.commands, "\n)\n(") + "\n)\n")
			}
		}
	}
	return b.String()
}

// targets are those of a makefile, in its order.
func targets(text string) (all []target) {
	variable := regexp.MustCompile(`\$(\$|\(\w+\))`)
	add := func(recipe string) {
		recipe = strings.TrimLeft(strings.TrimSpace(recipe), "@-+ ")
		if n := len(all); n > 0 && recipe != "" {
			all[n-1].commands = append(all[n-1].commands, variable.ReplaceAllStringFunc(recipe, func(s string) string { return "$" + strings.Trim(s, "$()") }))
		}
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if strings.HasPrefix(line, "\t") {
			add(line)
			continue
		}
		line, _, _ = strings.Cut(line, "#")
		names, rest, ok := strings.Cut(line, ":")
		if !ok || strings.Contains(names, "=") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=") || strings.HasPrefix(names, ".PHONY") {
			continue
		}
		needs, recipe, _ := strings.Cut(rest, ";")
		all = append(all, target{names: strings.Fields(names), needs: strings.Fields(needs)})
		add(recipe)
	}
	return all
}

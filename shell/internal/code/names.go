package code

import "strings"

// resolve puts the full names of modules, functions and variables of the environment in
// the place of the short ways in which a program says them, and leaves the tokens out
// that it needs no more: require("fs").rmSync and, after const del = fs.rmSync, del are
// both fs.rmSync; os.environ["X"] is env:X.
func (p *Program) resolve() {
	p.short = make(map[string]string)
	if p.lang != "awk" {
		p.literal()
	}
	p.imports()
	p.rename()
}

// rename puts full names in the place of short ones.
func (p *Program) rename() {
	if len(p.short) == 0 {
		return
	}
	for i := range p.toks {
		t := &p.toks[i]
		if t.kind != 'i' || t.text[0] == '.' {
			continue
		}
		first, rest := t.text, ""
		if at := strings.IndexByte(first, '.'); at > 0 {
			first, rest = first[:at], first[at:]
		}
		if full, ok := p.short[first]; ok {
			t.text = full + rest
		}
	}
}

// modules are the functions that return a module by its name.
const modules = "require import __import__ import_module"

// literal replaces what names a module, a member or a variable by a text.
func (p *Program) literal() {
	out := p.toks[:0]
	for i := 0; i < len(p.toks); {
		t, used := p.named(i)
		if used == 0 {
			t, used = p.toks[i], 1
		}
		i += used
		if k := len(out) - 1; t.kind == 'i' && t.text[0] == '.' && k >= 0 && out[k].kind == 'i' && out[k].end < 0 {
			out[k].text += t.text // a member of a module that a call returns
			out[k].end = -t.end
			continue
		}
		out = append(out, t)
	}
	for i := range out {
		out[i].end = max(out[i].end, -out[i].end)
	}
	p.toks = out
}

// named reads a name that is written with texts from token i on, and returns how many
// tokens it takes. The end of a module's name is negative.
func (p *Program) named(i int) (t token, used int) {
	t = p.toks[i]
	if t.kind != 'i' {
		return t, 0
	}
	switch {
	case p.at(i+1) == '(' && p.at(i+2) == 's' && p.at(i+3) == ')' && isOneOf(lastName(t.text), modules) && p.lang != "ruby" && p.lang != "perl":
		t.text = strings.TrimPrefix(p.tok(i+2).text, "node:")
		if t.text == "" || p.lang == "node" && strings.Contains(t.text, "//") {
			return t, 0
		}
		t.end = -p.toks[i+3].end
		return t, 4
	case t.text == "getattr" && p.at(i+1) == '(' && p.at(i+2) == 'i' && p.at(i+3) == ',':
		member, next := p.joined(i + 4)
		if p.at(next) != ')' || member == "" {
			return t, 0
		}
		t.text = p.tok(i+2).text + "." + member
		t.end = p.toks[next].end
		return t, next + 1 - i
	}
	return p.variable(i)
}

// variable reads a variable of the environment, and a member of a JavaScript object
// that is named by a text: process.env.X, process["exit"].
func (p *Program) variable(i int) (t token, used int) {
	t = p.toks[i]
	name := ""
	switch {
	case p.lang == "node" && strings.HasPrefix(t.text, "process.env."):
		name, rest, _ := strings.Cut(t.text[len("process.env."):], ".")
		if t.text = "env:" + name; rest != "" {
			t.text += "." + rest
		}
		return t, 1
	case p.at(i+1) == '[' && p.at(i+2) == 's' && p.at(i+3) == ']' && (p.lang == "node" || isOneOf(t.text, environments)):
		name, used = p.tok(i+2).text, 4
	case p.at(i+1) == '(' && p.at(i+2) == 's' && isOneOf(t.text, environmentCalls) && (p.at(i+3) == ')' || p.at(i+3) == ','):
		name, used = p.tok(i+2).text, 3
		for depth := 1; depth > 0 && used < 32; used++ {
			switch p.at(i + used) {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
	case p.at(i+1) == '{' && (p.at(i+2) == 's' || p.at(i+2) == 'i') && p.at(i+3) == '}' && t.text == "$ENV":
		name, used = p.tok(i+2).text, 4
	}
	if used == 0 || name == "" || strings.Trim(name, nameBytes) != "" || i+used > len(p.toks) {
		return t, 0
	}
	if p.lang == "node" && t.text != "process.env" && !isOneOf(t.text, environmentCalls) {
		t.text += "." + name
	} else {
		t.text = "env:" + name
	}
	t.end = p.toks[i+used-1].end
	return t, used
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

// What holds the environment, and what returns one variable of it.
const (
	environments     = "os.environ environ process.env ENV $_ENV $_SERVER Bun.env"
	environmentCalls = "os.environ.get environ.get os.getenv getenv ENV.fetch Deno.env.get System.getenv"
)

// joined is the text of literals with + between them, from token i on.
func (p *Program) joined(i int) (text string, next int) {
	for p.at(i) == 's' {
		text += p.tok(i).text
		if i++; p.at(i) == '+' && p.at(i+1) == 's' {
			i++
		}
	}
	return text, i
}

// imports learns the short names of a program.
func (p *Program) imports() {
	for i := range p.toks {
		switch {
		case p.toks[i].kind == '=' && p.at(i+1) == 'i' && p.at(i+2) != '(' && p.at(i-1) != '=':
			p.assigned(i)
		case p.toks[i].kind != 'i':
		case p.toks[i].text == "import" && p.lang == "python" && p.at(i-2) != 'i':
			p.list(i+1, "", "as")
		case p.toks[i].text == "import" && p.lang == "node":
			p.module(i + 1)
		case p.toks[i].text == "from" && p.lang == "python" && p.tok(i+2).text == "import":
			first := i + 3
			if p.at(first) == '(' {
				first++
			}
			p.list(first, p.tok(i+1).text+".", "as")
		}
	}
}

// list reads "a, b as c" of a module from token i on.
func (p *Program) list(i int, module, as string) {
	for p.at(i) == 'i' {
		full, name := module+p.tok(i).text, p.tok(i).text
		if sep := p.tok(i + 1).text; sep == as && p.at(i+2) == 'i' || as == ":" && p.at(i+1) == ':' && p.at(i+2) == 'i' {
			name = p.tok(i + 2).text
			i += 2
		}
		p.learn(name, full)
		if i++; p.at(i) != ',' {
			return
		}
		i++
	}
}

// module reads JavaScript's import … from "module".
func (p *Program) module(i int) {
	for j := i; j < i+64 && j < len(p.toks); j++ {
		if p.toks[j].text == "from" && p.at(j+1) == 's' {
			module := strings.TrimPrefix(p.tok(j+1).text, "node:")
			for ; i < j; i++ {
				switch p.at(i) {
				case 'i': // import fs, import * as fs
					p.learn(p.tok(i).text, module)
				case '{':
					p.list(i+1, module+".", "as")
					return
				}
			}
			return
		}
		if p.at(j) == 'n' || p.at(j) == ';' {
			return
		}
	}
}

// assigned learns a name for a module or a member of one: f = os.remove,
// {rmSync: del} = fs.
func (p *Program) assigned(i int) {
	value := i + 1
	if p.tok(value).text == "await" {
		value++
	}
	full := p.tok(value).text
	if k := p.at(value + 1); p.at(value) != 'i' || k != 0 && strings.IndexByte("n;,)", k) < 0 {
		return
	}
	switch p.at(i - 1) {
	case 'i':
		if name := p.tok(i - 1).text; p.isCode(full) && !strings.Contains(name, ".") {
			p.learn(name, full)
		}
	case '}':
		for j := i - 1; j > i-64 && j >= 0; j-- {
			if p.at(j) == '{' {
				p.list(j+1, full+".", ":")
				return
			}
		}
	}
}

// isCode reports whether a name is a module, a member of one, or a function that is
// known.
func (p *Program) isCode(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	if _, imported := p.short[first]; imported || isOneOf(first, standard) {
		return true
	}
	_, called := handlers.byName[lastName(name)]
	return called && name[0] != '$'
}

// standard are modules that a program may use without importing them first, or that
// have the name of their import.
const standard = "fs os sys process child_process http https net tls dgram vm shutil subprocess socket requests axios fetch"

// learn notes that a name means another one, which is not itself a variable.
func (p *Program) learn(name, full string) {
	if name == full || len(p.short) > maxList || len(full) > 200 || strings.HasPrefix(full, "self.") || strings.HasPrefix(full, "this.") {
		return
	}
	first, rest, dotted := strings.Cut(full, ".")
	if longer, ok := p.short[first]; ok {
		full = longer
		if dotted {
			full += "." + rest
		}
	}
	p.short[name] = full
}

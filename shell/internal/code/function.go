package code

import "strings"

// definers are the words before the name of a function that is defined.
const definers = "def function sub func fn"

// define remembers the parameters of a function.
func (c *scanner) define(i int) {
	if c.at(i+1) != 'i' {
		return
	}
	name := lastName(c.tok(i + 1).text)
	if c.at(i+2) == '(' {
		c.defined[name] = c.parameters(i+3, c.closing(i+2))
	} else if c.lang == "perl" && c.at(i+2) == '{' {
		c.defined[name] = c.perlParameters(i+3, min(i+67, c.closing(i+2)))
	}
}

// parameters are the names between two tokens, and their defaults are bound.
func (c *scanner) parameters(i, end int) (params []string) {
	for ; i < end && len(params) < maxArgs; i++ {
		for c.at(i) == 'i' && isOneOf(c.tok(i).text, "async my this self cls") || c.at(i) == '*' || c.at(i) == '.' || c.at(i) == '&' {
			i++
			if c.at(i) == ',' {
				i++
			}
		}
		if c.at(i) != 'i' {
			return params
		}
		name := c.tok(i).text
		params = append(params, name)
		for ; i < end && c.at(i) != ','; i++ { // annotation and default
			switch c.at(i) {
			case '(', '[', '{':
				i = c.closing(i)
			case '=':
				v, _ := c.expr(i + 1)
				c.bind(name, v)
			}
		}
	}
	return params
}

// perlParameters are the names that get the arguments: my ($a, $b) = @_; my $c = shift;
func (c *scanner) perlParameters(i, end int) (params []string) {
	for ; i < end; i++ {
		switch {
		case c.at(i) == '=' && c.tok(i+2).text == "_" && c.at(i+1) == '@' && c.at(i-1) == ')':
			return c.names(i)
		case c.at(i) == '=' && c.tok(i+1).text == "shift" && c.at(i-1) == 'i':
			params = append(params, c.tok(i-1).text)
		}
	}
	return params
}

// arrow remembers the parameters of a function that is assigned to a name:
// f = (a, b) => …, f = lambda a, b: ….
func (c *scanner) arrow(name string, i int) {
	if c.tok(i).text == "async" {
		i++
	}
	switch end := c.closing(i); {
	case c.tok(i).text == "lambda":
		c.defined[name] = c.parameters(i+1, i+maxArgs)
	case c.tok(i).text == "function" && c.at(i+1) == '(':
		c.defined[name] = c.parameters(i+2, c.closing(i+1))
	case c.at(i) == '(' && c.at(end+1) == '=' && c.at(end+2) == '>':
		c.defined[name] = c.parameters(i+1, end)
	case c.at(i) == 'i' && c.at(i+1) == '=' && c.at(i+2) == '>':
		c.defined[name] = []string{c.tok(i).text}
	}
}

// function returns the parameters of the function of the program that is called at
// token i.
func (c *scanner) function(i int) (params []string, ok bool) {
	if len(c.defined) == 0 || c.at(i+1) != '(' || isOneOf(c.tok(i-1).text, definers) {
		return nil, false
	}
	name := c.toks[i].text
	if at := strings.LastIndexAny(name, ".>"); at >= 0 && !isOneOf(name[:at], "self this $self- cls") {
		return nil, false
	}
	params, ok = c.defined[lastName(name)]
	return params, ok
}

// bindCall gives the parameters of a function the arguments from token i on.
func (c *scanner) bindCall(i int, params []string) {
	for n := 0; n < maxArgs; n++ {
		name := ""
		if n < len(params) {
			name = params[n]
		}
		if c.at(i) == 'i' && (c.at(i+1) == '=' || c.at(i+1) == ':') && c.at(i+2) != '=' {
			name = c.tok(i).text
			i += 2
		}
		if k := c.at(i); k == 0 || k == ')' {
			return
		}
		v, next := c.expr(i)
		if i = c.skip(next); i == next {
			c.bind(name, v)
		}
		if c.at(i) != ',' {
			return
		}
		i++
	}
}

// names are the variables before the = at token i: (a, b) = …, [a, b] = …, a, b = ….
func (c *scanner) names(i int) (names []string) {
	from, to := i-1, i
	if k := c.at(i - 1); k == ')' || k == ']' || k == '}' {
		from, to = int(c.pair[i-1])+1, i-1
	} else {
		for c.at(from-1) == ',' && c.at(from-2) == 'i' && i-from < maxArgs {
			from -= 2
		}
		if k := c.at(from - 1); k != 0 && strings.IndexByte("n;{}:", k) < 0 && !isOneOf(c.tok(from-1).text, "local let const var") {
			return nil // arguments of a call, and the last one by name
		}
	}
	for j := from; j < to; j++ {
		if c.at(j) == 'i' && !isOneOf(c.tok(j).text, "my our local") {
			names = append(names, c.tok(j).text)
		}
	}
	return names
}

// several assigns the elements of a list to as many variables, at the = of token i.
func (c *scanner) unpack(i int) {
	if k := c.at(i - 1); c.at(i+1) == '=' || c.at(i+1) == '>' || k != ')' && k != ']' && k != '}' && (k != 'i' || c.at(i-2) != ',') {
		return
	}
	names := c.names(i)
	if len(names) == 0 {
		return
	}
	v, next := c.expr(i + 1)
	for n, name := range names {
		switch {
		case v.IsList:
			if at := v.offset(n); at < len(v.List) {
				c.set(name, plain(v.List[at]))
			}
		case v.usable():
			c.set(name, v)
			if c.at(next) != ',' {
				return
			}
			v, next = c.expr(next + 1)
		}
	}
}

// plain is a text that is known, unless it is a pattern or a variable.
func plain(s string) Value {
	return Value{Text: s, Known: !strings.ContainsAny(s, "*?[$`"), Any: []string{s}}
}

// set remembers the value of a variable.
func (c *scanner) set(name string, v Value) {
	if v.usable() || v.IsList || v.Number != "" {
		c.consts[name] = v
	}
}

// fields remembers the values of an object's literal, at the bracket of token i.
func (c *scanner) fields(name string, i int) {
	end := c.closing(i)
	for i++; i < end; i++ {
		for c.at(i) == 'n' {
			i++
		}
		key, sep := c.tok(i), i+1
		if key.kind != 'i' && key.kind != 's' {
			return
		}
		if c.at(sep) == '=' && c.at(sep+1) == '>' {
			sep++
		} else if c.at(sep) != ':' && c.at(sep) != '=' {
			return
		}
		v, next := c.expr(sep + 1)
		c.set(name+"."+key.text, v)
		i = c.skip(next)
	}
}

// fill puts the values of names into a string: f"{dir}/x", `${dir}/x`, "#{dir}/x",
// "$dir/x". The string is not known if one of the values is not.
func (c *scanner) fill(text string) Value {
	v := Value{Known: true}
	for text != "" {
		start, name, rest := c.filled(text)
		if start < 0 {
			return concat(v, "", Value{Text: text, Known: true})
		}
		value := c.hole(name)
		if value.IsList || !value.usable() {
			return Value{}
		}
		v = concat(concat(v, "", Value{Text: text[:start], Known: true}), "", value)
		text = rest
	}
	return v
}

// hole evaluates what is filled into a string: a variable or an expression.
func (c *scanner) hole(src string) Value {
	if v, ok := c.memberOf(src); ok {
		return v.orNumber()
	}
	in := c.inner(src)
	if in == nil {
		return Value{}
	}
	v, next := in.expr(0)
	c.operands = in.operands
	if next != len(in.toks) {
		return Value{}
	}
	return v.orNumber()
}

// inner is a scanner of an expression inside a string, and nil if that is too long.
func (c *scanner) inner(src string) *scanner {
	if src == "" || len(src) > maxHole || c.nested+4 > maxNested {
		return nil
	}
	p := Program{lang: c.lang, src: src, toks: tokens(c.lang, src), short: c.short}
	p.literal()
	p.rename()
	p.pairs()
	in := *c
	in.Program = p
	in.nested += 4
	in.operands += len(p.toks)
	if c.tracer != nil {
		t := *c.tracer
		t.origins, t.asked, t.ends = nil, nil, [2][]int32{}
		in.tracer = &t
	}
	return &in
}

// maxHole bounds an expression inside a string, in bytes.
const maxHole = 512

// filled finds the first expression that is filled into a text.
func (c *scanner) filled(text string) (start int, name, rest string) {
	open := map[string]string{"python": "{", "node": "${", "ruby": "#{", "perl": "$", "php": "$"}[c.lang]
	if open == "" {
		return -1, "", ""
	}
	start = strings.Index(text, open)
	if start < 0 {
		return -1, "", ""
	}
	rest = text[start+len(open):]
	if open != "$" {
		name, rest, _ = strings.Cut(rest, "}")
		if at := strings.IndexAny(name, "!:"); at > 0 && c.lang == "python" && !strings.ContainsAny(name, "([") {
			name = name[:at]
		}
		return start, strings.TrimSpace(name), rest
	}
	n := 0
	for n < len(rest) && isName(rest[n]) {
		n++
	}
	name, rest = "$"+rest[:n], rest[n:]
	if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "->{") {
		if end := strings.IndexByte(rest, '}'); end > 0 {
			name, rest = name+rest[:end+1], rest[end+1:]
		}
	}
	return start, strings.Replace(name, "${", "$", 1), rest
}

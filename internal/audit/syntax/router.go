package syntax

// answers are the possible results of a router.
type answers struct {
	sets   [][]string      // the nodes of each return; several start side by side
	direct map[string]bool // nodes of Send, which no table translates
	known  bool            // there are no other results
}

// router reads the results of a function: "a", ["a", "b"], Send("a", state), lists
// of those, lists that are built by append, comprehensions.
func (r *graphBuilder) router(v value) answers {
	a := answers{direct: map[string]bool{}, known: true}
	if v.code == nil || v.code.kind != fn {
		return answers{}
	}
	f := v.code
	r.traverse(f.kid(len(f.kids)-1), f.scope, nil, func(c *code, s *scope, vars *locals) bool {
		if c.kind == fn || c.kind == class {
			return false // its returns are not the router's
		}
		if c.kind == ret && len(c.kids) > 0 {
			r.answer(&a, c.kid(0), s, vars)
		}
		return true
	})
	if !a.known || len(a.sets) == 0 {
		r.annotated(&a, f)
	}
	return a
}

// answer adds the nodes of one return.
func (r *graphBuilder) answer(a *answers, c *code, s *scope, vars *locals) {
	if c.kind == choice { // x if y else z
		for _, k := range c.kids[:min(c.n, len(c.kids))] {
			r.answer(a, k, s, vars)
		}
		return
	}
	set, all := r.sends(a, c, s, vars)
	if c.kind == name {
		grown, ok := r.appended(a, c, s)
		set, all = append(set, grown...), ok && (all || len(grown) > 0)
	}
	a.known = a.known && all
	if len(set) > 0 {
		a.sets = append(a.sets, set)
	}
}

// sends lists the nodes in an expression. A list that is named is the first that the name
// is given: others of its values may be appended.
func (r *graphBuilder) sends(a *answers, c *code, s *scope, vars *locals) (nodes []string, all bool) {
	if c.kind == name {
		for _, b := range s.lookup(c.name) {
			if b.code != nil && b.code.kind == assign && (b.code.kid(1).kind == list || b.code.kid(1).kind == comp) {
				c, s = b.code.kid(1), b.scope
				break
			}
		}
	}
	v := r.eval(c, s, vars)
	v.sent(a.direct)
	return v.texts()
}

// sent notes the nodes of Send in a value.
func (v value) sent(direct map[string]bool) {
	if names, _ := v.texts(); v.send {
		for _, n := range names {
			direct[n] = true
		}
	}
	for _, item := range v.items {
		item.sent(direct)
	}
}

// appended lists the nodes that the function of s appends to a list.
func (r *graphBuilder) appended(a *answers, list *code, s *scope) (nodes []string, all bool) {
	all = true
	owner := s.function()
	walk(owner.body, owner, func(c *code, inner *scope) {
		if c.kind != call || c.kid(0).kind != attr || c.kid(0).kid(0).kind != name || c.kid(0).kid(0).name != list.name {
			return
		}
		switch c.kid(0).name {
		case "append", "extend", "add":
			for _, arg := range c.positional() {
				more, ok := r.sends(a, arg, inner, nil)
				nodes, all = append(nodes, more...), all && ok
			}
		}
	})
	return nodes, all
}

// annotated reads the result type Literal["a", "b"].
func (r *graphBuilder) annotated(a *answers, f *code) {
	for _, c := range f.kids[:max(len(f.kids)-1, 0)] {
		walk(c, f.scope, func(k *code, s *scope) {
			if k.kind != index || k.kid(0).name != "Literal" {
				return
			}
			for _, option := range k.kids[1:] {
				walk(option, s, func(o *code, s *scope) {
					if o.kind == text {
						n, _ := endpoint(o.name)
						a.sets, a.known = append(a.sets, []string{n}), true
					}
				})
			}
		})
	}
}

// commands adds the edges of nodes that return Command(goto=…).
func (r *graphBuilder) commands() {
	for _, g := range r.order {
		for _, n := range g.nodes {
			body := g.bodies[n.Name].code
			if body == nil || body.kind != fn {
				continue
			}
			walk(body, body.scope, func(c *code, s *scope) {
				if c.kind != call || c.kid(0).name != "Command" {
					return
				}
				to := c.argument(1<<20, "goto")
				if to == nil {
					return
				}
				a := answers{direct: map[string]bool{}, known: true}
				r.answer(&a, to, s, nil)
				if !a.known {
					r.unknown++
				}
				for _, set := range a.sets {
					group := g.group(set)
					for _, goal := range set {
						r.route(g, c, []string{n.Name}, goal, group)
					}
				}
			})
		}
	}
}

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxRounds is how many rounds of a loop over known words are walked one by one.
const maxRounds = 128

// loop walks the body of a loop whose rounds are not known.
func (w walker) loop(body []*syntax.Stmt) output {
	outer := w.env.inLoop
	w.env.inLoop = true
	out := w.branch(body)
	w.env.inLoop = outer
	return out
}

// while walks the body once, or once for each known line of input when the
// condition is a read.
func (w walker) while(c *syntax.WhileClause) output {
	if conditionReads(c) && !w.stdin.known {
		w.whileFile(c)
	}
	lines := strings.Count(w.stdin.text, "\n")
	if rounds := min(lines, maxRounds); w.piped && w.stdin.known && rounds > 1 && conditionReads(c) {
		out := nothing()
		for range rounds {
			out = out.then(w.stmts(c.Cond))
			out = out.then(w.stmts(c.Do))
		}
		if lines > maxRounds {
			w.bounded("a long loop was read in part")
		}
		return out
	}
	out := w.stmts(c.Cond).then(w.bodyOf(w.neverEnds(c), c.Do).loop(c.Do))
	out.known = false
	return out
}

// whileFile walks the body for the first lines of a file that the loop reads. The commands
// for the other lines are walked with an unknown line.
func (w walker) whileFile(c *syntax.WhileClause) {
	in := w.subshell()
	in.env.stdin = w.input(asData)
	if !in.stdin.known {
		return
	}
	for range min(strings.Count(in.stdin.text, "\n"), maxRounds) {
		in.stmts(c.Cond)
		in.stmts(c.Do)
	}
}

func conditionReads(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0].Lit() == "read"
}

// forLoop walks the body once for each word, as far as the words are known.
func (w walker) forLoop(c *syntax.ForClause) output {
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.substitutions(c.Loop)
		endless := false
		if c, ok := c.Loop.(*syntax.CStyleLoop); ok {
			endless = c.Cond == nil
		}
		return w.bodyOf(endless, c.Do).loop(c.Do)
	}
	items := w.eachWords(loop.Items)
	if !loop.InPos.IsValid() {
		items = w.params
	}
	if len(items) == 0 {
		items = []field{{text: "$" + loop.Name.Value}}
	}
	if !slices.ContainsFunc(items, field.isOne) {
		w = w.noTimes()
	}
	out := nothing()
	for _, item := range w.rounds(items) {
		w.env.set(loop.Name.Value, variable{values: []string{item.text}, guess: !item.known || item.glob, from: brought(item), names: namesOf(item)})
		out = out.then(w.stmts(c.Do))
	}
	return out
}

// eachWords expands words, for each value that their variables may have.
func (w walker) eachWords(list []*syntax.Word) []field {
	outer := w.choices
	w.analyzer.choices = 0
	items := w.words(list)
	for i := 1; i <= w.choices && w.choice == 0; i++ {
		in := w.subshell()
		in.env.choice = i
		items = append(items, in.words(list)...)
	}
	w.analyzer.choices = outer
	return items
}

// rounds are the items of a loop that are walked.
func (a *analyzer) rounds(items []field) []field {
	if len(items) > maxRounds {
		a.bounded("a long loop was read in part")
		items = items[:maxRounds]
	}
	return items
}

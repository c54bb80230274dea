package shell

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// arith evaluates an arithmetic expression of whole numbers and variables that have one;
// ok is false when it depends on anything else, or on a value that does not fit.
func (w walker) arith(x syntax.ArithmExpr) (n int, ok bool) {
	switch x := x.(type) {
	case *syntax.Word:
		return w.number(x)
	case *syntax.ParenArithm:
		return w.arith(x.X)
	case *syntax.UnaryArithm:
		n, ok = w.arith(x.X)
		switch x.Op {
		case syntax.Minus:
			return -n, ok
		case syntax.Plus:
			return n, ok
		}
	case *syntax.BinaryArithm:
		a, okA := w.arith(x.X)
		b, okB := w.arith(x.Y)
		if !okA || !okB {
			return 0, false
		}
		switch n = 0; x.Op {
		case syntax.Add:
			n = a + b
		case syntax.Sub:
			n = a - b
		case syntax.Mul:
			n = a * b
		case syntax.Quo, syntax.Rem:
			if b == 0 {
				return 0, false
			}
			if n = a / b; x.Op == syntax.Rem {
				n = a % b
			}
		default:
			return 0, false
		}
		return n, inRange(n)
	}
	return 0, false
}

// inRange keeps products below the point where they overflow, on 32 bits too.
func inRange(n int) bool { return n > -1<<15 && n < 1<<15 }

// number is the value of a number or of a variable. In a loop a variable has another
// value in each round.
func (w walker) number(word *syntax.Word) (int, bool) {
	text := word.Lit()
	if text == "" || isLetter(text[0]) || text[0] == '_' {
		if w.inLoop {
			return 0, false
		}
		if v, ok := w.get(text); ok {
			if v = w.pick(v); v.guess || len(v.values) == 0 {
				return 0, false
			}
			text = v.values[0]
		} else if p, ok := word.Parts[0].(*syntax.ParamExp); ok && len(word.Parts) == 1 && p.Exp == nil && p.Index == nil {
			text = w.single(word).text
		}
	}
	n, err := strconv.ParseInt(text, 0, 16)
	return int(n), err == nil
}

// arithAssigns performs an assignment in arithmetic: i=1 sets i, and after i++ or i+=2 its
// value is not known.
func (w walker) arithAssigns(n syntax.Node) {
	var to syntax.ArithmExpr
	value := variable{guess: true}
	switch x := n.(type) {
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			to = x.X
		}
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Assgn:
			if n, ok := w.arith(x.Y); ok {
				value = variable{values: []string{strconv.Itoa(n)}, guess: w.inLoop}
			}
			to = x.X
		case syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
			syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
			to = x.X
		}
	}
	if name, ok := to.(*syntax.Word); ok && name.Lit() != "" {
		if len(value.values) == 0 {
			value.values = []string{"$" + name.Lit()}
		}
		w.env.set(name.Lit(), value)
	}
}

// Package texttest has the characters that a reader cannot see, for tests of what is
// shown or put into a prompt.
package texttest

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// Hidden are the characters that may not be passed on as they are: the general
// categories Cc, Cf, Cs, Co, Zl and Zp, the property Default_Ignorable_Code_Point
// (DerivedCoreProperties.txt of Unicode 15), the noncharacters, and the letters and
// symbols without ink. It is written out so that it does not depend on the code
// that it tests.
func Hidden() []*unicode.RangeTable {
	ignorable := &unicode.RangeTable{
		R16: []unicode.Range16{
			{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, {Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x061c, Hi: 0x061c, Stride: 1},
			{Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, {Lo: 0x180b, Hi: 0x180f, Stride: 1},
			{Lo: 0x200b, Hi: 0x200f, Stride: 1}, {Lo: 0x202a, Hi: 0x202e, Stride: 1}, {Lo: 0x2060, Hi: 0x206f, Stride: 1},
			{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
			{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, {Lo: 0xfff0, Hi: 0xfff8, Stride: 1},
		},
		R32: []unicode.Range32{
			{Lo: 0x13441, Hi: 0x13442, Stride: 1}, {Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, {Lo: 0x1bca0, Hi: 0x1bca3, Stride: 1},
			{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, {Lo: 0x1d173, Hi: 0x1d17a, Stride: 1}, {Lo: 0xe0000, Hi: 0xe0fff, Stride: 1},
		},
	}
	return []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co, unicode.Zl, unicode.Zp, ignorable, unicode.Noncharacter_Code_Point}
}

// OneLine fails for a way to make one line of a text that leaves a hidden character or
// the break of a line in it.
func OneLine(tb testing.TB, line func(string) string) {
	tb.Helper()
	ranges := Hidden()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, ranges...) || !utf8.ValidRune(r) || r > 0xf0100 && r&0xfffe != 0xfffe { // one private character is as another
			continue
		}
		for _, in := range []string{string(r), "a" + string(r) + "b", "\u26a0" + string(r) + "\u00e9"} {
			for _, c := range line(in) {
				if unicode.In(c, ranges...) {
					tb.Fatalf("%+q is shown as %+q", in, line(in))
				}
			}
		}
	}
}

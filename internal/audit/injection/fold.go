package injection

import (
	"unicode"
	"unicode/utf8"
)

// fold writes text as it looks: invisible characters are left out, and letters that
// look Latin become Latin. offsets has the place in text of each byte; both are
// cheap for plain ASCII, where text itself is returned and offsets is nil.
func fold(text string) (folded string, offsets []int) {
	if ascii(text) {
		return text, nil
	}
	out := make([]byte, 0, len(text))
	offsets = make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch look := appearance(r); {
		case look == 0 && r != 0: // not seen
		case look < utf8.RuneSelf:
			out, offsets = append(out, byte(look)), append(offsets, i)
		default:
			for j := range size {
				out, offsets = append(out, text[i+j]), append(offsets, i+j)
			}
		}
		i += size
	}
	return string(out), append(offsets, len(text))
}

func ascii(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appearance is the ASCII character that r looks like, 0 if r is invisible, and else r.
func appearance(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0xff01 && r <= 0xff5e: // full width
		return r - 0xfee0
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical letters, 13 alphabets
		n := (r - 0x1d400) % 52
		if n < 26 {
			return 'A' + n
		}
		return 'a' + n - 26
	case r == 0xa0 || r == 0x3000 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x2028 || r == 0x2029:
		return ' '
	case r == '‘' || r == '’':
		return '\''
	case r == '“' || r == '”':
		return '"'
	case r >= 0x2010 && r <= 0x2015:
		return '-'
	case r == 0xad || unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector):
		return 0
	}
	return lookalike(r)
}

// lookalike is the Latin letter that a Cyrillic or Greek one looks like.
func lookalike(r rune) rune {
	const others, latin = "аеіјорсухѕԁһԛԝӏАВЕІЈКМНОРСТУХЅαοικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeijopcyxsdhqwlABEIJKMHOPCTYXSaoiknptuxABEZHIKMNOPTYX"
	i := 0
	for _, c := range others {
		if c == r {
			return rune(latin[i])
		}
		i++
	}
	return r
}

// hidden finds letters that are there for programs alone: Unicode tag characters,
// which spell ASCII, and runs of variation selectors, which can spell bytes. The tags of a
// flag and a single selector after an emoji do not count.
func hidden(text string) []Attempt {
	if ascii(text) {
		return nil
	}
	var found []Attempt
	start, length, before := 0, 0, rune(0)
	end := func(at int) {
		const flagTags, emojiSelectors = 7, 3
		flag := before == 0x1f3f4 && length <= flagTags
		if length > emojiSelectors && !flag {
			found = append(found, Attempt{start, at, KindHidden})
		}
		length = 0
	}
	for i, r := range text {
		if r >= 0xe0000 && r <= 0xe01ef || r >= 0xfe00 && r <= 0xfe0f {
			if length == 0 {
				start = i
			}
			length++
			continue
		}
		end(i)
		before = r
	}
	end(len(text))
	return found
}

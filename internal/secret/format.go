package secret

// class is a set of ASCII characters.
type class uint16

const (
	digit    class = 1 << iota
	lowerHex       // a-f
	lowerG         // g-z
	upperHex       // A-F
	upperG         // G-Z
	under          // _
	dash           // -
	dot            // .
	slash          // + and /, which base64 has in addition to the alphanumerics
	equal          // =
	tilde          // ~

	hexadecimal = digit | lowerHex
	anyHex      = hexadecimal | upperHex
	lower       = lowerHex | lowerG
	upper       = upperHex | upperG
	letter      = lower | upper
	alnum       = letter | digit
	word        = alnum | under
	url64       = word | dash // the URL-safe base64 alphabet
	base64Chars = alnum | slash
)

func classOf(b byte) class {
	switch {
	case 'a' <= b && b <= 'f':
		return lowerHex
	case 'g' <= b && b <= 'z':
		return lowerG
	case '0' <= b && b <= '9':
		return digit
	case 'A' <= b && b <= 'F':
		return upperHex
	case 'G' <= b && b <= 'Z':
		return upperG
	}
	switch b {
	case '_':
		return under
	case '-':
		return dash
	case '.':
		return dot
	case '+', '/':
		return slash
	case '=':
		return equal
	case '~':
		return tilde
	}
	return 0
}

func (c class) has(b byte) bool { return c&classOf(b) != 0 }

// span returns how many bytes of text[at:] are in c, at most limit.
func (c class) span(text string, at, limit int) int {
	n := 0
	for n < limit && at+n < len(text) && c.has(text[at+n]) {
		n++
	}
	return n
}

// spanBack returns how many bytes before text[at] are in c, at most limit.
func (c class) spanBack(text string, at, limit int) int {
	n := 0
	for n < limit && at-n > 0 && c.has(text[at-n-1]) {
		n++
	}
	return n
}

// A part is a piece of a token's format: a literal, or from min to max
// characters of a class.
type part struct {
	literal  string
	class    class
	min, max int
}

func run(c class, minimum, maximum int) part { return part{class: c, min: minimum, max: maximum} }
func exactly(n int, c class) part            { return part{class: c, min: n, max: n} }
func literal(s string) part                  { return part{literal: s} }

// A format describes tokens that begin with a keyword of their own.
type format struct {
	kind   string
	starts []string // the keywords
	before part     // the text before the keyword, where that is not the token's beginning
	parts  []part   // what follows the keyword
	// digits: the token has at least one digit and one letter. Asked of formats
	// whose keyword also begins ordinary identifiers.
	digits bool
}

func (f format) detector() detector {
	return detector{kinds: []string{f.kind}, rank: byFormat, keywords: f.starts, match: f.match}
}

// minEntropy, in bits per character, is below what any random token of 16
// characters or more has (16 random hexadecimal digits have 2.7 or more in 999
// of 1,000), and above what fillers such as "aaaa…" or "abcabcabc…" have.
const minEntropy = 2.6

func (f format) match(text string, at, length int) (Found, bool) {
	start, end := at, at+length
	first := f.before.class
	if f.before.max > 0 {
		n := f.before.class.spanBack(text, at, f.before.max+1)
		if n < f.before.min || n > f.before.max {
			return Found{}, false
		}
		start -= n
	} else if len(f.parts) > 0 {
		first = f.parts[0].class
	}
	if !startsToken(text, start, first) {
		return Found{}, false
	}
	var last class
	for _, p := range f.parts {
		n, ok := p.take(text, end)
		if !ok {
			return Found{}, false
		}
		end += n
		last = p.class
	}
	if end < len(text) && (word | last).has(text[end]) {
		return Found{}, false
	}
	random := text[at+length : end]
	if f.before.max > 0 {
		random = text[start:at] + random
	}
	if f.digits && !mixed(random) || entropy(random) < minEntropy || filler(text[start:end]) {
		return Found{}, false
	}
	return Found{Kind: f.kind, Start: start, End: end}, true
}

// take returns how many bytes of text[at:] the part covers.
func (p part) take(text string, at int) (int, bool) {
	if p.literal != "" {
		ok := len(text)-at >= len(p.literal) && text[at:at+len(p.literal)] == p.literal
		return len(p.literal), ok
	}
	n := p.class.span(text, at, p.max)
	return n, n >= p.min
}

// startsToken reports whether a token whose characters are in c can begin at
// text[at]: the text before it must not belong to it. An equals sign, which pads
// base64, assigns here; a byte that ends an escape (\n, %20, \u003d) counts as
// none. Because a token hardly ever begins inside a run of its own characters,
// no run is read over and over.
func startsToken(text string, at int, c class) bool {
	if at == 0 || !(alnum | c&^equal).has(text[at-1]) {
		return true
	}
	switch {
	case at >= 2 && text[at-2] == '\\' && (text[at-1] == 'n' || text[at-1] == 'r' || text[at-1] == 't'):
		return true
	case at >= 3 && text[at-3] == '%' && anyHex.span(text, at-2, 2) == 2:
		return true
	case at >= 6 && text[at-6:at-4] == `\u` && anyHex.span(text, at-4, 4) == 4:
		return true
	}
	return false
}

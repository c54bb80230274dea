package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A text in `code` may have an invented name where any other may be. A rule looks for it with any
// name there, as far as enough of the text remains.

var (
	// nameIn is a name in a text, and ofSyntax a word that a language itself has.
	nameIn   = lazy.Regexp{Source: `[A-Za-z_$][\w$]*`}
	ofSyntax = lazy.Regexp{Source: `^(?:if|let|var|val|const|is|in|as|not|and|or|else|elif|return|new|for|of|while|guard|await|async|typeof|mut|ref|out|do|try|then|import|from|export|default|def|fn|func|class|type|interface|struct|enum|extends|implements|static|public|private|catch|case|with|yield|lambda|where|use|pub|void|int|string|bool|float|end|unless)$`}
	// ofValue is a word for a value: a sign of an expression.
	ofValue = lazy.Regexp{Source: `^(?:null|nil|none|None|undefined|true|false|True|False|NULL|nullptr|NaN)$`}
	// madeUpName is a name that no code has, and anyName one that represents any other next to others of
	// its kind, or between the signs of an expression.
	madeUpName = lazy.Regexp{Source: `^(?:\$?(?:foo|bar|baz|qux)\d?|(?:Foo|Bar|Baz)(?:Bar|Baz)?|(?:some|my|your)(?:[A-Z]|_[a-z])\w*|(?:Some|Your)[A-Z]\w*|My(?:Class|Type|Component|Module|Model|Service|App|Struct|Enum|Error|Interface|Object|Widget|View|Function|Exception|Trait)|(?:Class|Method|Function|Component|Module|Package|Type|Struct|Variable|Test|Model|Entity|Service)Name|pkg|something|anything|whatever|xxx+|XXX+|Xxx+)$`}
	anyName    = lazy.Regexp{Source: `^(?:\$?[a-zA-Z]|value|val|name|key|thing|expr|obj|object|method|function|func|fun|fn|package|module|property|prop|attribute|attr|field|class|arg|param|variable|var|example|num)$`}
	// relates is a sign between the parts of an expression.
	relates = lazy.Regexp{Source: `[=&|?:+<>!.]|->| (?:is|in|as) `}
	// receiver is one that a call or an attribute is of, and oneArgument one of several, where the
	// others are of one value.
	receiver = lazy.Regexp{Source: `(?:^|[\s(!])([abxy])\.\w{3,}`}
	// ofMock is what only objects of Python's mocks have, where "mock" is any of them.
	ofMock = lazy.Regexp{Source: `(?:^|[\s(!])mock\.(?:assert_\w+|call_args(?:_list)?|call_count|called|method_calls|mock_calls|return_value|side_effect)\b`}
	// innerArgument is the argument of a call whose result is used.
	innerArgument = lazy.Regexp{Source: `\w\((\w+)\)(?:\.\w|\[)`}
	oneArgument   = lazy.Regexp{Source: `[(,] ?([a-z])\b`}
	// ofOneValue is a call with an argument that is a value or a type, or one that is compared.
	ofOneValue = lazy.Regexp{Source: `\([^()]*\b(?:dict|list|tuple|set|str|int|float|bool|None|null|nil|undefined|true|false|True|False|\d+)\b[^()]*\)|\) ?[=!<>]`}
	// ofShort is a method of Go by a receiver of one letter.
	ofShort = lazy.Regexp{Source: `^[a-z]\.[A-Z]$`}
	// compares is a name of one letter that is a part of an expression: "x == None".
	compares = lazy.Regexp{Source: `(?:^|[\s(!])(\$?[a-z])(?: ?(?:[=!]==?|<=|>=|=|\?\?|is|in|as|instanceof) ?[\w'"(\[]|: ?\w)|(?:[=!]==?|<=|>=|\?\?|=|\b(?:is|in|as|let|for|const|var)) (\$?[a-z])(?:[\s);,]|$)`}
)

// hole represents any name within a pattern that is being made.
const hole = "Zz0any9zZ"

// standsForAny reports whether a text in code has only invented names: "x == x", "k=a&k=b",
// "package::function()". The line forbids a pattern then, and a search for the text does not find it.
func standsForAny(t string) bool {
	if strings.HasPrefix(t, "<") {
		return false
	}
	front, _, called := strings.Cut(t, "(")
	if strings.HasSuffix(front, " ") { // a keyword
		front = t
	}
	n, sure := 0, false
	for _, name := range nameIn.Get().FindAllString(front, -1) {
		switch {
		case madeUpName.Get().MatchString(name):
			n, sure = n+1, true
		case anyName.Get().MatchString(name):
			n++
		case !ofSyntax.Get().MatchString(name) && (!ofValue.Get().MatchString(name) || !called && n < 2):
			return false
		}
	}
	return sure || n > 1 && relates.Get().MatchString(front) && !(called && ofShort.Get().MatchString(front))
}

// withHoles is a text with a mark in the place of each invented name. It
// is not ok where what remains is too little to be looked for.
func withHoles(t string) (with string, ok bool) {
	rest, holes := "", false
	single := map[string]bool{}
	for _, m := range compares.Get().FindAllStringSubmatch(t, -1) {
		single[m[1]+m[2]] = true
	}
	if ofMock.Get().MatchString(t) {
		single["mock"] = true
	}
	for _, m := range receiver.Get().FindAllStringSubmatch(t, -1) {
		single[m[1]] = true
	}
	if m := innerArgument.Get().FindStringSubmatch(t); m != nil && anyName.Get().MatchString(m[1]) {
		single[m[1]] = true
	}
	if ofOneValue.Get().MatchString(t) {
		for _, m := range oneArgument.Get().FindAllStringSubmatch(t, -1) {
			single[m[1]] = true
		}
	}
	with = nameIn.Get().ReplaceAllStringFunc(t, func(name string) string {
		switch {
		case madeUpName.Get().MatchString(name), single[name] && !ofSyntax.Get().MatchString(name):
			holes = true
			return hole
		case !ofSyntax.Get().MatchString(name):
			rest += name
		}
		return name
	})
	return with, !holes || len(rest) > 2
}

// filled puts any name into the holes of a pattern, and one into those of the texts that it finds.
func filled(pattern string, shown []string) (string, []string) {
	return strings.ReplaceAll(pattern, hole, `[\w$]+(?:\.\w+)*`), pathglob.Each(shown, func(s string) string { return strings.ReplaceAll(s, hole, "other1") })
}

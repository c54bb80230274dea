package main

import (
	"html"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// paints says what is coloured in blocks of code: the name of a group is the class of
// what it matches, c for comments, k for words of the language and names, s for texts.
var paints = map[string]*regexp.Regexp{
	"sh":      regexp.MustCompile(`(?m)(?P<c>(?:^|[ \t])#.*$)|(?P<s>'[^'\n]*'|"[^"\n]*")`),
	"console": regexp.MustCompile(`(?m)(?P<k>^\$ )|(?P<c>[ \t]#.*$)|(?P<s>'[^'\n]*'|"[^"\n]*")`),
	"yaml":    regexp.MustCompile(`(?m)(?P<c>(?:^|[ \t])#.*$)|(?P<s>'[^'\n]*'|"[^"\n]*")|(?P<k>(?:^[ \t]*(?:- )?|[{,] ?)[\w.-]+:)`),
	"json":    regexp.MustCompile(`(?P<k>"(?:[^"\\\n]|\\.)*"\s*:)|(?P<s>"(?:[^"\\\n]|\\.)*")`),
	"go": regexp.MustCompile("(?m)(?P<c>//.*$)|(?P<s>\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)|" +
		`(?P<k>\b(?:package|import|func|return|var|const|type|struct|if|for|range|else|switch|case|default|go|defer|map|nil)\b)`),
}

// codeRenderer writes blocks of code with a language.
type codeRenderer struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			block := n.(*ast.FencedCodeBlock)
			_, _ = w.WriteString("<pre><code>" + paint(string(block.Language(source)), string(block.Lines().Value(source))) + "</code></pre>\n")
		}
		return ast.WalkSkipChildren, nil
	})
}

// paint is code as HTML.
func paint(language, code string) string {
	re := paints[language]
	if re == nil {
		return html.EscapeString(code)
	}
	out, from := "", 0
	for _, at := range re.FindAllStringSubmatchIndex(code, -1) {
		for group, class := range re.SubexpNames() {
			if group > 0 && at[2*group] >= 0 {
				out += html.EscapeString(code[from:at[0]]) + `<span class="` + class + `">` + html.EscapeString(code[at[0]:at[1]]) + "</span>"
				from = at[1]
			}
		}
	}
	return out + html.EscapeString(code[from:])
}

package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/template"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

//go:embed page.md.tmpl
var pageMarkdown string

// Markdown writes the report for people: summary, every criterion, what to do,
// findings, and what could not be examined. It is CommonMark with tables. The
// error is w's.
func Markdown(w io.Writer, r *audit.Record) error {
	var out bytes.Buffer
	if err := parsedMarkdown().Execute(&out, newPage(r, code)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// parsedMarkdown is parsed when a report is written first. The template escapes nothing by
// itself: what is hostile passes through inline, code, codes, advice, phrase or codeBlock.
var parsedMarkdown = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap(phrases())).Funcs(template.FuncMap{
		"inline": inline, "code": code, "codes": codes, "codeBlock": codeBlock, "phrase": phrase.markdown,
		"advice":   func(a audit.Advice) string { return prose(adviceText(a)) },
		"next":     func(i int) int { return i + 1 },
		"opinions": func(n int) string { return text.Plural(n, "opinion", "opinions") },
		"table": func(heads ...string) string {
			return "| " + strings.Join(heads, " | ") + " |\n|" + strings.Repeat(" --- |", len(heads))
		},
	}).Parse(pageMarkdown))
})

func codes(ids []string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = code(id)
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

package statement

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStatements: what a file is split into, with its lines, its lead and its section.
func TestStatements(t *testing.T) {
	f := File{Path: "AGENTS.md", Text: strings.Join([]string{
		"---", "description: x", "---", // 1–3
		"# Title", "", // 4
		"## Never", "", // 6
		"Do not do any of this:", "", // 8
		"- Run `a`", "  and `b`.", "  - Nested under it", "", // 10
		"1. Always lint.", "```sh", "make lint", "```", "", // 14–17
		"| What | Rule |", "|---|---|", "| x | never touch `y/` |", "", // 19–21
		"First line.", "**Label**: use `z`.", "", // 23
		"```", "- never this", "```", // 26
	}, "\n")}
	type brief struct {
		line, end  int
		lead, text string
	}
	var got []brief
	for _, s := range Of(&f) {
		got = append(got, brief{s.Line, s.EndLine, s.Lead, s.Text})
		require.Equal(t, "AGENTS.md", s.File)
		require.Equal(t, "Title", s.Section[0])
	}
	require.Equal(t, []brief{
		{8, 8, "", "Do not do any of this:"},
		{10, 11, "Do not do any of this:", "Run `a` and `b`."},
		{12, 12, "Run `a` and `b`.", "Nested under it"},
		{14, 17, "Do not do any of this:", "Always lint."},
		{21, 21, "", "x | never touch `y/`"},
		{23, 23, "", "First line."},
		{24, 28, "", "**Label**: use `z`."},
	}, got)
}

// TestExceptionAt: which texts introduce an exception, and where its case begins.
func TestExceptionAt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The only exception is test files.":                "test files.",
		"Exceptions: generated code":                       "generated code",
		"**Exception:** when `a.ts` is generated, skip it": "when `a.ts` is generated, skip it",
		"The exception is in `lib/a.test.ts`.":             "in `lib/a.test.ts`.",
		"Unless the user asks for it.":                     "the user asks for it.",
		"Except in tests.":                                 "in tests.",
		"Exceptions are when the tool is old: see below":   "the tool is old: see below",
		"Exceptions are for the release script.":           "the release script.",
		"The exception is a bug fix.":                      "a bug fix.",
		"The exception is the error page.":                 "the error page.",
		"The exception is a release branch.":               "a release branch.",
		"The exception is a `ValidationError`.":            "none",
		"An exception is a bug.":                           "none",
		"Exceptions are for errors.":                       "none",
		"The exception is logged.":                         "none",
		"Exceptions are never granted":                     "none",
		"Raise an exception: it is fine.":                  "none",
	} {
		got := "none"
		if at := ExceptionAt(text); at != nil {
			got = text[at[1]:]
		}
		require.Equal(t, want, got, text)
	}
}

// TestOnlyLeads: a lead that says no more than whether its list is to be done asks for nothing itself.
func TestOnlyLeads(t *testing.T) {
	for lead, alone := range map[string]bool{
		"Never do any of these:": true, "**Do not:**": true, "You must follow these rules:": true, "Always:": true, "NEVER run the following commands:": true, "IMPORTANT: avoid these:": true,
		"Never touch files of others:": false, "Keep these in mind and be short:": false, "Always do the following before a release:": false, "Never use `x` for any of these:": false,
	} {
		f := File{Path: "CLAUDE.md", Text: lead + "\n\n- Run `a`.\n- Never push.\n"}
		all := Of(&f)
		require.Len(t, all, 3, lead)
		require.Equal(t, alone, all[0].onlyLeads(), lead)
		require.Equal(t, lead, all[1].Lead)
		if alone {
			require.Equal(t, Description, all[0].Kind, lead)
		}
	}
	f := File{Path: "CLAUDE.md", Text: "Never do any of these:\n\nText.\n"}
	require.False(t, Of(&f)[0].onlyLeads(), "there is no list")
}

package instructions

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExceptionAt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The only exception is test files.":                "",
		"Exceptions: generated code":                       "",
		"**Exception:** when `a.ts` is generated, skip it": "Unless a.ts is generated, ",
		"The exception is in `lib/a.test.ts`.":             "Except in lib/a.test.ts, ",
		"Unless the user asks for it.":                     "Unless the user asks for it, ",
		"Exceptions are when the tool is old: see below":   "Unless the tool is old, ",
		"The exception is a `ValidationError`.":            "no",
		"An exception is a bug.":                           "no",
		"Exceptions are for errors.":                       "no",
		"The exception is logged.":                         "no",
		"Exceptions are for the release script.":           "Except for the release script, ",
		"The exception is a bug fix.":                      "",
		"The exception is the error page.":                 "",
		"The exception is a release branch.":               "",
		"Exceptions are never granted":                     "no",
	} {
		got := "no"
		if exceptionAt(text) != nil {
			got = unlessCase(text)
		}
		assert.Equal(t, want, got, text)
	}
}

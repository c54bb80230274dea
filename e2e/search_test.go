package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	searchText    = "These lines are for people alone."
	protectSearch = `trigger: file_read
severity: block
scope: ["notes/private.txt"]
backend: builtin
when: 'true'
message: ` + searchText + `
`
)

// A search is stopped that would show lines of a file which is not to be read, whether the
// call names the file or a pattern for its name; another search goes on.
func (a agent) testSearched(t *testing.T) {
	const hidden, open = "hunter2", "correct horse"
	ready := func() *repository {
		r := a.ready(t, map[string]string{"private": protectSearch})
		r.write("notes/private.txt", "KEY="+hidden+"\n")
		r.write("notes/open.txt", "KEY="+open+"\n")
		return r
	}
	stopped := []call{a.search("notes", "private*"), a.search("notes/private.txt", "")}
	if a.endsRun {
		for _, c := range stopped {
			w := a.work(ready(), calling(c), says("I was not to get here."))
			w.wasEnded(searchText)
		}
		return
	}
	w := a.work(ready(), calling(stopped[0]), calling(stopped[1]), calling(a.search("notes", "open.*")), says("Done."))
	results := w.model.results(3)
	for _, result := range results[:2] {
		assert.NotContains(t, result, hidden, "the search was not stopped")
		if !strings.Contains(result, "not a directory") { // Gemini CLI searches folders only
			assert.Contains(t, result, searchText, "the model does not know why")
		}
	}
	if !strings.Contains(results[2], "ripgrep") { // which opencode and pi would fetch first
		assert.Contains(t, results[2], open)
	}
}

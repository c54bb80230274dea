package intent

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell"
)

const push = "git push --force origin feature-x"

// What a person's sentence means for a call that it is about.
func TestSentencesThatAsk(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`(?i)force[- ]push`)
	for said, asks := range map[string]bool{
		"force push feature-x":                                       true,
		"Please force-push feature-x, then tell me":                  true,
		"Can you force push feature-x?":                              true,
		"Rebase it. Force push feature-x after that.":                true,
		"Don't be shy, \nforce push feature-x":                       true,
		"don't force push feature-x":                                 false,
		"Don’t force push feature-x":                                 false,
		"do not force push feature-x":                                false,
		"never force push feature-x":                                 false,
		"push feature-x, no force push feature-x":                    false,
		"Why would you force push feature-x?":                        false,
		"Should we force push feature-x?":                            false,
		"if the tests pass, force push feature-x":                    false,
		"force push feature-x. Wait, do not force push feature-x":    false,
		"bitte nicht force push feature-x":                           false,
		"do not force push main\nforce push feature-x":               true,
		"> the user said: force push feature-x\nfix the test":        false,
		"```\nforce push feature-x\n```\nfix the test":               false,
		"~~~sh\nforce push feature-x":                                false,
		"````\n```\nforce push feature-x\n````":                      false,
		strings.Repeat("a line\n", 1000) + "force push feature-x":    false,
		cutMark + "x⟧ force push feature-x":                          true, // typed, so that the mark is gone
		"force push feature-x\n" + strings.Repeat("more text ", 500): false,
	} {
		requests := []string{Own(said)}
		assert.Equal(t, asks, Matching(requests, pattern) != "", "%.80q", said)
		assert.Equal(t, asks, Quoted(requests, "force push feature-x", push) || Quoted(requests, "Force push feature-x", push) || Quoted(requests, "force-push feature-x", push), "%.80q", said)
	}
}

// A later request takes an earlier one back.
func TestLaterRequests(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile("force push")
	asked, refused, other := "force push feature-x", "no, do not force push it", "fix the tests"
	for _, c := range []struct {
		requests []string
		want     bool
	}{
		{[]string{asked}, true},
		{[]string{asked, other}, true},
		{[]string{asked, refused}, false},
		{[]string{refused, asked}, true},
		{nil, false},
	} {
		require.Equal(t, c.want, Matching(c.requests, pattern) != "", "%q", c.requests)
		require.Equal(t, c.want, Quoted(c.requests, asked, push), "%q", c.requests)
	}
}

// A quotation is in the request word for word, and speaks of the call.
func TestQuotations(t *testing.T) {
	t.Parallel()
	requests := []string{"Fix the tests and force push   feature-x. The wrapper of feature-x is unforce pushed."}
	for quote, want := range map[string]bool{
		"force push feature-x":                   true,
		"force push feature-x.":                  true,
		"Fix the tests and force push feature-x": true,
		"force push":                             true,
		"Force push feature-x":                   false,
		"the user approved force push feature-x": false,
		"force push main":                        false,
		"Fix the tests":                          false,
		"feature":                                false,
		"push":                                   false,
		"":                                       false,
		"force push feature-x. The wrapper":      false,
		strings.Repeat("force push ", 100):       false,
	} {
		assert.Equal(t, want, Quoted(requests, quote, push), quote)
	}
	assert.False(t, Quoted([]string{"unforce push origin it"}, "force push origin", push), "not from the beginning of a word")
}

// A name that the sentence has to have is compared as it is, and as a whole.
func TestNames(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile("force push")
	for said, want := range map[string]bool{
		"force push feature-x": true, "force push `feature-x`, please": true, "force push (feature-x).": true,
		"force push feature-x2": false, "force push old/feature-x": false, "force push feature-x-old": false, "force push": false,
		"force push Feature-X": false, "force push it\nfeature-x is done": false,
	} {
		assert.Equal(t, want, Matching([]string{Own(said)}, pattern, "feature-x") != "", said)
	}
	for _, name := range []string{"", ".*", ".", "?"} {
		assert.Empty(t, Matching([]string{"force push feature-x . ?"}, pattern, name), "%q is no name", name)
	}
}

// What is on a line beside the command that was asked for passes with nothing.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		push: true, "cd sub && " + push: true, "git -C sub push -f": true,
		push + "; git push -f origin main": false, push + " | tee log": false, push + " $(date)": false,
		"bash -c '" + push + "'": true, "eval \"$X\"": false, "": false,
	} {
		assert.Equal(t, want, Plain(shell.Parse(line, nil)), line)
	}
	assert.False(t, Plain(nil))
}

package packs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// TestCarriers holds, for the cases of all rules that are one plain command, that a
// unknown program in front of it makes the rule ask, with the program named,
// and that what passes by itself passes behind it too.
func TestCarriers(t *testing.T) {
	t.Parallel()
	for _, f := range everything(t) {
		if f.Definition.Trigger != "bash" {
			continue
		}
		t.Run(f.Path, func(t *testing.T) {
			t.Parallel()
			e := engine(t, f)
			for _, c := range f.Definition.Tests {
				if !plain(c.Bash) {
					continue
				}
				for _, form := range []string{"frobnicate --level 3 %", "frobnicate -- %", "frobnicate '%'", "frobnicate --cmd='%'", `xcode-julia -e 'run("%")'`} {
					if strings.ContainsAny(c.Bash, `'"\$`) && strings.ContainsAny(form, `'`) || !strings.Contains(c.Bash, " ") {
						continue
					}
					line := strings.Replace(form, "%", c.Bash, 1)
					d, skip := evaluate(t, e, rule.Case{Bash: line}), slices.Contains([]string{"export", "declare", "echo"}, strings.Fields(c.Bash)[0]) || strings.HasPrefix(c.Bash, "./")
					if skip {
						continue
					}
					if c.Expect == "pass" {
						assert.Equal(t, sentinel.VerdictAllow, d.Verdict, "%s: %s", line, d.Reason())
						continue
					}
					if assert.Equal(t, sentinel.VerdictAsk, d.Verdict, line) {
						assert.Contains(t, d.Reason(), "` may ", line)
					}
				}
			}
		})
	}
}

// plain reports whether a line is one command with nothing around it.
func plain(text string) bool {
	l := shell.Parse(text, nil)
	if len(l.Commands) != 1 || l.Unparsed != "" || strings.ContainsAny(text, "|<>;&`\n") {
		return false
	}
	c := &l.Commands[0]
	return len(c.Wrappers)+len(c.Assigns)+len(c.Redirects) == 0 && strings.HasPrefix(text, c.Path+" ")
}

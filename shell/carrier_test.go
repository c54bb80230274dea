package shell

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCarriedWithinCarried shows that unknown programs inside each other cost no more than
// their text: the innermost command is found, or a bound says that it was not looked for.
func TestCarriedWithinCarried(t *testing.T) {
	t.Parallel()
	line := "rm -rf src"
	for n := range 60 {
		line = "carrier" + strconv.Itoa(n) + " sh -c " + quote(line)
		if len(line) > 64<<10 {
			break
		}
		a := Parse(line, nil)
		found := false
		for _, l := range a.Carried {
			for i := range l.Commands {
				found = found || l.Commands[i].Text == "rm -rf src"
			}
		}
		require.True(t, found || a.Bounded, "%d deep", n+1)
	}
	words := strings.Repeat("carrier ", 60) + "rm -rf src"
	l := Parse(words, nil)
	require.Len(t, l.Carried, 1)
	assert.Equal(t, "carrier", l.Carried[0].Commands[0].Carrier)
	assert.Equal(t, "rm -rf src", l.Carried[0].Text)
}

// TestCarriedWork counts the statements that are walked for long lines: they are in
// proportion to the words.
func TestCarriedWork(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"frobnicate " + strings.Repeat("rm x ", 5000), "frobnicate " + strings.Repeat("'rm x' ", 5000), "frobnicate " + strings.Repeat("x ", 10_000) + "rm -rf src",
		strings.Repeat("frobnicate rm x\n", 1000), "frobnicate '" + strings.Repeat(`a "rm x" `, 5000) + "'", "frobnicate " + strings.Repeat("sh -c ", 3000),
	} {
		l := Parse(text, nil)
		assert.LessOrEqual(t, len(l.Carried), maxCarried)
		commands := 0
		for _, c := range l.Carried {
			commands += len(c.Commands)
		}
		assert.Less(t, commands, 2*maxCommands, fmt.Sprintf("%.40s", text))
		assert.True(t, l.Bounded || len(l.Carried) > 0, fmt.Sprintf("%.40s: a bound that is met is said", text))
	}
}

// TestCarriedChangesNothing shows that a reading leaves the line as it is without it.
func TestCarriedChangesNothing(t *testing.T) {
	t.Parallel()
	for _, carried := range []string{"sh -c 'cd lib; D=x'", "tee out", "mv src lib", "ln -s src lib", "git config alias.x '!rm -rf y'", "bash -c 'rm y; ('", "env X=1 rm x"} {
		rest := "; rm x $D; cat out | sh; f; git x; rm lib/y"
		with, without := Parse("frobnicate "+carried+rest, nil), Parse("jest "+carried+rest, nil)
		require.NotEmpty(t, with.Carried, carried)
		require.Empty(t, without.Carried, carried)
		with.Carried = nil
		want, got := strings.SplitN(describe(without), "\n", 2)[1], strings.SplitN(describe(with), "\n", 2)[1]
		assert.Equal(t, want, got, carried)
	}
}

// TestCarriedWordByWord: a language that is not read may start a program whose words are
// texts of their own.
func TestCarriedWordByWord(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`elixir -e 'System.cmd("rm", ["-rf", "src"])'`, `groovy -e '["rm", "-rf", "src"].execute()'`} {
		l := Parse(text, nil)
		require.Len(t, l.Carried, 1, text)
		require.Equal(t, "rm -rf src", l.Carried[0].Commands[0].Text)
	}
	require.Empty(t, Parse(`elixir -e 'IO.puts("what", ["-rf", "does"])'`, nil).Carried)
}

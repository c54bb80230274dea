package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// What git and env do not do, whatever the words around it say.
func TestSettingsThatDoNotCount(t *testing.T) {
	t.Parallel()
	for text, runs := range map[string]string{
		"git -c 'alias.status=reset --hard' status":  "git reset --hard", // git's own name
		`export D=rm; env -i bash -c '"$D" -rf lib'`: "rm -rf lib",
		"git -c 'alias.tidy=reset --hard' status":    "git reset --hard", // another name
	} {
		line := Parse(text, nil)
		require.False(t, slices.ContainsFunc(line.Commands, func(c Command) bool { return c.Text == runs }), text)
	}
	for text, runs := range map[string]string{
		"git -c 'alias.tidy=reset --hard' tidy":       "git reset --hard",
		`env -i D=rm bash -c '"$D" -rf lib'`:          "rm -rf lib",
		`export D=rm; env bash -c '"$D" -rf lib'`:     "rm -rf lib",
		`export D=ls; env -i D=rm sh -c '$D -rf lib'`: "rm -rf lib",
	} {
		line := Parse(text, nil)
		require.True(t, slices.ContainsFunc(line.Commands, func(c Command) bool { return c.Text == runs }), text)
	}
	deletes := func(text string) bool {
		return slices.ContainsFunc(Parse(text, nil).Effects, func(e Effect) bool { return e.Kind == EffectDelete })
	}
	require.False(t, deletes("git -c clean.requireForce=false -c clean.requireForce=true clean"))
	require.True(t, deletes("git -c clean.requireForce=true -c clean.requireForce=false clean"))
	require.True(t, deletes("git -c clean.requireForce=true clean -f"))
	require.True(t, deletes("git clean"), "the settings of the machine may allow it")
}

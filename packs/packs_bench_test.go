package packs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// BenchmarkWhen measures what a rule costs whose scope matched, as in a hook process:
// matching it, and compiling and running its `when`, on its first case.
func BenchmarkWhen(b *testing.B) {
	m := trigger.New(&trigger.Options{Home: "/home/u"})
	for _, f := range everything(b) {
		b.Run(f.Definition.ID, func(b *testing.B) {
			actions, err := m.MapTool(context.Background(), event(b, f.Definition.Tests[0]))
			require.NoError(b, err)
			for b.Loop() {
				built, _ := rule.Build([]rule.File{f}, nil)
				require.True(b, ask(b, built[0], actions))
			}
		})
	}
}

// ask reports whether the rule is violated by one of the actions.
func ask(b *testing.B, r *rule.Rule, actions []sentinel.Action) bool {
	for i := range actions {
		m := r.Match(&actions[i])
		if !m.OK {
			continue
		}
		violated, err := r.When(context.Background(), &actions[i], m)
		require.NoError(b, err)
		if violated {
			return true
		}
	}
	return false
}

// BenchmarkNoMatch measures what all rules together cost a command that none is
// about, as in a hook process: nothing is compiled beforehand.
func BenchmarkNoMatch(b *testing.B) {
	m := trigger.New(&trigger.Options{Home: "/home/u"})
	actions, err := m.MapTool(context.Background(), event(b, rule.Case{Bash: "mkdir -p build && ls -la"}))
	require.NoError(b, err)
	files := everything(b)
	for b.Loop() {
		built, _ := rule.Build(files, nil)
		for _, r := range built {
			for i := range actions {
				require.False(b, r.Match(&actions[i]).OK)
			}
		}
	}
}

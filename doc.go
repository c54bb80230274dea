// Package sentinel judges what a coding agent is about to do.
//
// Agents run tools: they write files, run shell commands, call MCP servers. An
// [Engine] takes one such call as an [Event]. It finds out what the call does and
// which rules are about it, has a model or a rule's own expression judge these, and
// returns a [Decision]: allow, warn, ask or block, with the reasons.
//
// The command sentinel puts this engine into the hooks of agents; an agent in Go imports
// this package. docs/embedding.md has whole programs.
//
// # Embedding
//
// Make an engine once and use it for every call, from any number of goroutines:
//
//	engine, err := sentinel.New(rules, &sentinel.Options{
//		Mapper:   trigger.New(nil),
//		Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
//		Default:  sentinel.Builtin,
//		Deadline: 10 * time.Second,
//	})
//	…
//	d, err := engine.Evaluate(ctx, sentinel.Event{
//		Phase: sentinel.PhasePre,
//		Dir:   "/repo",
//		Tool:  sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"git push --force"}`)},
//	})
//	if err != nil || d.Verdict != sentinel.VerdictAllow && d.Verdict != sentinel.VerdictWarn {
//		… // do not run the tool, or ask the user; d.Reason() is for the model
//	}
//
// Package project opens a repository as the command does: it finds and reads the
// folders of rules, and a project.Project is an Engine too.
//
// # Events and actions
//
// Event.Phase is required. At [PhasePre] a call is judged. At [PhasePost] rules with
// RuleSpec.Post have a model write advice for the agent, which stops nothing. At
// [PhaseStop] rules with RuleSpec.Stop judge Event.Actions, which are all that the turn
// did: a block asks the agent to go on. The other phases allow everything.
//
// Rules are about actions, not about tools. One call can be several actions: a patch
// writes three files; the command `cat > src/x.go <<EOF` is a command and a write. A
// [ToolMapper] translates; package trigger has one for the tools of common agents. A
// caller that knows better sets Event.Actions.
//
// The text of a constant of a type of numbers is the rest of its name in small letters:
// that of PhasePre is "pre", that of UnknownByFailOpen "by_fail_open". String and
// MarshalText give it. UnmarshalText reads it, and nothing else.
//
// # Rules
//
// A [Rule] matches actions by trigger, scope and exclude. It may be [Conditional]: its
// expression is evaluated before a model is asked, and is the verdict itself for the
// judge [Builtin]. Package rule reads rules from files.
//
// Evaluate of a [Rulebook] is [Rulebook.Match], then [Docket.Judge]. What is to be done
// only when a rule applies, such as [Docket.Waive], is done between the two.
//
// # Judging
//
// Each rule that applies is one question to one [Backend], with a JSON Schema for the
// answer: whether the action violates the rule, how sure that is, and why. A violation
// counts from Options.Threshold on. Rules are judged in parallel.
//
// What is judged is hostile text. The prompt has it quoted, between fences that it
// cannot foresee, and repeats the instruction after it. It is never read as a template.
// An answer that is not exactly of the form asked for is [ErrMalformed].
//
// A judge that is down, late or malformed, a broken rule file and a panic are
// [OutcomeUnavailable], after the rule's fallbacks. The action then counts as a violation
// at the rule's severity, or passes with Options.FailOpen. Evaluate keeps its deadline:
// most agents take a late answer for an allow.
//
// The engine records nothing: telemetry.Records makes lines of a decision.
//
// # Writing a backend
//
// Implement [Backend], or use [BackendFunc], and name it in Options.Backends. Package
// backend has wrappers. Package sentineltest checks the contract:
//
//	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend { return ours.New() })
package sentinel

// Package sentinel judges what a coding agent is about to do.
//
// Agents run tools: they write files, run shell commands, call MCP servers. An
// [Engine] takes one such call as an [Event], works out what it does, tries the
// rules on it, has a model or the rule's own expression judge those that apply,
// and answers with a [Decision]: allow, warn, ask or block, with the reasons. It
// says nothing when all is well.
//
// The command sentinel puts this engine into the hooks of existing agents.
// Whoever writes an agent of their own imports this package.
//
// # Embedding
//
// An engine is made once and used for every call, by any number of goroutines:
//
//	engine, err := sentinel.New(rules, &sentinel.Options{
//		Mapper:   trigger.New(nil),
//		Backends: map[string]sentinel.Backend{"builtin": builtin.New()},
//		Default:  "builtin",
//		FailOpen: true,
//		Deadline: 10 * time.Second,
//	})
//	…
//	d, err := engine.Evaluate(ctx, sentinel.Event{
//		Phase: sentinel.PhasePre,
//		Dir:   "/repo",
//		Tool:  sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"git push --force"}`)},
//	})
//	if d.Verdict == sentinel.VerdictBlock {
//		return errors.New(d.Reason())
//	}
//
// Package project opens a repository as the command does: it finds the folders
// of rules, reads them, and is an Engine itself.
//
// # Events and actions
//
// One tool call can be several actions. A patch writes three files; the command
// `cat > src/x.go <<EOF` is a command and a write. So a rule is about actions,
// not about tools: a [ToolMapper] says what a call does, and a rule that guards
// src/billing guards it against an editor, a shell and an MCP server alike.
// Package trigger knows the tools of the common agents. A caller that knows
// better sets Event.Actions.
//
// # Rules
//
// A [Rule] says by trigger, scope and exclude which actions it is about. Only
// those that apply cost anything. A rule may be [Conditional]: its expression is
// evaluated before any model is asked, and is the verdict itself where the judge
// is the builtin one. Package rule reads rules from files; anything else that
// implements the interface will do.
//
// # Judging
//
// Each rule that applies is one question to one [Backend], with a JSON Schema
// for the answer: whether the action violates the rule, how sure the model is,
// and why. A violation counts from Options.Threshold on. Rules are judged in
// parallel; their findings stand in the order of the rules.
//
// Whatever is judged is hostile text. It stands in the prompt as quoted strings
// and between fences that no text can foresee, it is never read as a template,
// and the instruction is repeated behind it. An answer that is not exactly of
// the form asked for is no answer.
//
// A rule with RuleSpec.Post is not judged. After the tool has run, at PhasePost, a
// model writes a short text from its prompt, from what the tool returned and from
// what Options.SessionContext knows of the session: advice, which stops nothing.
//
// # Failure
//
// There are four outcomes, and none is the zero value: pass, violation, skipped,
// and unavailable. Unavailable is what a judge that is down, late or talking
// nonsense gives, what a rule with a broken file gives, and what a panic gives.
// It is asked of the rule's fallbacks first; then Options.FailOpen decides, in
// one place, whether the action passes or counts as a violation at the rule's
// own severity. The text that the agent reads tells the two apart.
//
// Evaluate keeps its deadline: to most agents a guard that answers late has
// allowed the call. What is not judged by then is unavailable.
//
// # Writing a backend
//
// Implement [Backend], one method, and give it a name in Options.Backends; a
// function will do, as [BackendFunc]. The numbered clauses in its comment are
// the contract, and package sentineltest checks them one by one:
//
//	func TestBackend(t *testing.T) {
//		sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend { return ours.New() })
//	}
//
// What more a backend can do it shows by an optional interface, [Pinger] or
// [Warmer], which [As] finds through wrappers. The wrappers themselves (slots,
// clocks, laziness) are in package backend.
//
// # Concurrency
//
// Engines, rules, backends, mappers and locks are safe for concurrent use. Events,
// actions and decisions are values: nobody changes one that was handed on.
package sentinel

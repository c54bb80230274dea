package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Answer is the result of a hook process, for its agent. Stdout and Stderr are nil
// when nothing is to be written.
type Answer struct {
	Stdout, Stderr []byte
	Exit           int

	// The kept texts are those of [sentinel.Decision.Context] that the agent would drop
	// at this moment and that the answer therefore leaves out. The caller may keep
	// them for the session and give them with the next event that takes context:
	// as the Advice of a finding with VerdictAllow, one for each text.
	Kept []string
}

// Refusal stops a call by [exit.Block], with the reason and, in the same line, the context
// on standard error.
func Refusal(d sentinel.Decision) Answer {
	said := Denial(d)
	if context := Context(d); context != "" {
		said += " " + oneLine(context)
	}
	return Answer{Stderr: []byte(said + "\n"), Exit: exit.Block}
}

// Keeping is the answer with the context of the decision left for a later event.
func (a Answer) Keeping(d sentinel.Decision) Answer {
	a.Kept = d.Context()
	return a
}

// Stays reports whether a decision keeps the agent at work: at the end of a turn, not
// of a subagent.
func Stays(ev sentinel.Event, d sentinel.Decision) bool {
	return ev.Phase == sentinel.PhaseStop && !ev.Part && d.Verdict == sentinel.VerdictBlock
}

// Stay answers the end of a turn: a block keeps the agent at work, in the form that
// Claude Code introduced. The context of the decision is kept for a later event.
func Stay(ev sentinel.Event, d sentinel.Decision) Answer {
	var out struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}
	if !Stays(ev, d) {
		return Answer{}.Keeping(d)
	}
	out.Decision, out.Reason = "block", Reminder(d)
	return JSON(out).Keeping(d)
}

// Permission answers an agent that is about to ask its user: it does not ask about a call
// that must not happen. To any other the answer is silence, and the user decides.
func Permission(d sentinel.Decision) Answer {
	if Proceeds(d) || d.Verdict == sentinel.VerdictAsk {
		return Answer{}.Keeping(d)
	}
	type denial struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message"`
	}
	type specific struct {
		HookEventName string `json:"hookEventName"`
		Decision      denial `json:"decision"`
	}
	return JSON(struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{"PermissionRequest", denial{"deny", Denial(d)}}}).Keeping(d)
}

// StartName is the name of the event that begins a session or a subagent.
func StartName(ev sentinel.Event) string {
	if ev.Part {
		return "SubagentStart"
	}
	return "SessionStart"
}

// A Specific is the object hookSpecificOutput, which Claude Code introduced. An agent
// ignores one without the name of the event it answers.
type Specific struct {
	HookEventName            string          `json:"hookEventName"`
	PermissionDecision       string          `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string          `json:"permissionDecisionReason,omitempty"`
	UpdatedInput             json.RawMessage `json:"updatedInput,omitempty"` // with a question alone
	AdditionalContext        string          `json:"additionalContext,omitempty"`
	Decision                 string          `json:"decision,omitempty"` // of VS Code's Stop
	Reason                   string          `json:"reason,omitempty"`
	WatchPaths               []string        `json:"watchPaths,omitempty"`

	Notice string `json:"-"` // goes next to the object: for the user, not for the model
}

// Judge sets the permission for a call that does not proceed: ask or deny.
func (out *Specific) Judge(d sentinel.Decision) {
	switch {
	case Proceeds(d):
	case d.Verdict == sentinel.VerdictAsk:
		out.PermissionDecision, out.PermissionDecisionReason, out.UpdatedInput = "ask", Question(d), replaced(d)
	default:
		out.PermissionDecision, out.PermissionDecisionReason = "deny", Denial(d)
	}
}

// Stay keeps an agent at work that reads this object at the end of a turn.
func (out *Specific) Stay(ev sentinel.Event, d sentinel.Decision) {
	if Stays(ev, d) {
		out.Decision, out.Reason = "block", Reminder(d)
	}
}

// Answer writes the object with the notice, or nothing when both are empty.
func (out Specific) Answer() Answer {
	var whole struct {
		SystemMessage string    `json:"systemMessage,omitempty"`
		Specific      *Specific `json:"hookSpecificOutput,omitempty"`
	}
	whole.SystemMessage = out.Notice
	if out.PermissionDecision != "" || out.AdditionalContext != "" || out.Decision != "" || len(out.WatchPaths) > 0 {
		whole.Specific = &out
	}
	if whole.Specific == nil && whole.SystemMessage == "" {
		return Answer{}
	}
	return JSON(whole)
}

// maxText bounds, in characters, each text that is handed to an agent. A reason
// can quote what was judged; Claude Code moves a context of more than about
// 50,000 characters into a file and shows its beginning only.
const maxText = 10_000

// clean takes hidden characters out of a text for an agent, and the marks of what
// Sentinel itself says. Lines stay. Every text that this package hands to an agent
// goes through here.
func clean(s string) string { return unmarked().Replace(text.Strip(s)) }

// Sentinel's own words to an agent about a code are between these marks. Texts of rules,
// judges and calls cannot contain the marks, so they cannot imitate such words.
const opens, closes = "\u27e6", "\u27e7" // ⟦ and ⟧

// unmarked puts a plain bracket in the place of each mark and of what looks like one.
var unmarked = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		opens, "[", "\u301a", "[", "\u27ec", "[", "\u3018", "[", "\u2983", "{", "\u2985", "(", "\u298b", "[", "\u298d", "[", "\u298f", "[", "\uff3b", "[",
		closes, "]", "\u301b", "]", "\u27ed", "]", "\u3019", "]", "\u2984", "}", "\u2986", ")", "\u298c", "]", "\u298e", "]", "\u2990", "]", "\uff3d", "]",
	)
})

// oneLine cleans a text and folds it into one line, so that no part of it can
// pass for a message of its own.
func oneLine(s string) string { return text.Fold(clean(s)) }

// Context is what a decision has for the model, each text cleaned and under a label
// of ours, its further lines indented; empty ones are left out.
func Context(d sentinel.Decision) string { return cut(labelled(d.Context())) }

// ContextWithin is [Context] in at most limit bytes.
func ContextWithin(d sentinel.Decision, limit int) string {
	return cutBytes(labelled(d.Context()), limit)
}

func labelled(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		text = strings.TrimSpace(clean(text))
		if text == "" {
			continue
		}
		text = strings.ReplaceAll(text, "\n", "\n  ") // a label of ours is only at the beginning of a line
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("Sentinel: ")
		b.WriteString(text)
	}
	return b.String()
}

// cut shortens a text to maxText characters, the note about it included.
func cut(s string) string { return text.CutNoted(s, maxText) }

// noteRoom is what the note about a cut takes at most, in bytes.
const noteRoom = 40

// cutBytes shortens a text to limit bytes, the note about it included. It is for
// agents that drop a text above a limit and count otherwise than in characters:
// a text never has more UTF-16 units than bytes.
func cutBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	keep := limit - noteRoom
	for !utf8.RuneStart(text[keep]) {
		keep--
	}
	return text[:keep] + fmt.Sprintf(" … [%d more characters]", utf8.RuneCountInString(text[keep:]))
}

// Denial is the text for a call that must not happen. An agent that
// cannot ask its user gets it for a question as well.
func Denial(d sentinel.Decision) string {
	label := "Sentinel blocked this:"
	if d.Verdict == sentinel.VerdictAsk {
		label = "Sentinel blocked this until a person approves it:"
	}
	way := otherwise(d) + wayThrough(d)
	return text.CutNoted(label+after(reason(d)), maxText-utf8.RuneCountInString(way)) + way
}

// WholeDenial is [Denial] with the context in the lines below it, for agents that
// ignore the context field of a denial.
func WholeDenial(d sentinel.Decision) string {
	denial := Denial(d)
	if context := Context(d); context != "" {
		room := maxText - utf8.RuneCountInString(denial) - 1
		return denial + "\n" + text.CutNoted(context, room)
	}
	return denial
}

// Reminder is what keeps an agent at work that wants to end its turn.
func Reminder(d sentinel.Decision) string {
	return cut("Sentinel: the turn is not over." + after(reason(d)))
}

// otherwise says what loses nothing, between the marks of Sentinel's own words: the command
// has words of the call, but neither mark nor line end.
func otherwise(d sentinel.Decision) string {
	if said := instead(d); said != "" {
		return " " + opens + "Sentinel: this does the same, loses nothing and may be run: " + said + closes
	}
	return ""
}

// instead is the command that loses nothing, where an agent can be shown it as it is.
func instead(d sentinel.Decision) string {
	if oneLine(d.Instead) != d.Instead {
		return ""
	}
	return d.Instead
}

// replaced are the arguments that the user's yes is to run in the place of the call's,
// where the question names them.
func replaced(d sentinel.Decision) json.RawMessage {
	if instead(d) == "" {
		return nil
	}
	return d.Input
}

// wayThrough says how the user can let this one call through, as the last sentence
// of a denial. Only the user can do it, so the agent is asked to pass it on. Where a
// rule says what to do instead, the agent goes on that way; elsewhere it has to stop.
func wayThrough(d sentinel.Decision) string {
	if d.Code == "" {
		return ""
	}
	begins := "do not work around this; tell your user, who"
	if namesWay(&d) || instead(d) != "" {
		begins = "if the call is needed as it is, tell your user, who"
	}
	return " " + opens + "Sentinel: " + begins + " can let this one call through from a terminal of their own with: " +
		text.Command(oneLine(d.Program), "allow "+oneLine(d.Code)) + closes
}

// namesWay reports whether all that stops the call are violations of rules of a person,
// each with a message of its own.
func namesWay(d *sentinel.Decision) bool {
	stops := 0
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Verdict != d.Verdict {
			continue
		}
		if f.Message == "" || f.Outcome != sentinel.OutcomeViolation || f.Tainted || f.Rule == nil || strings.HasPrefix(f.Rule.Source, "(") { // built in
			return false
		}
		stops++
	}
	return stops > 0
}

// Question is what the user is asked, in words for a person: a line for each rule.
func Question(d sentinel.Decision) string {
	said := asks + after(cmp.Or(lines(d.Questions()), reason(d)))
	switch offer := instead(d); {
	case offer == "":
		return cut(said)
	case replaced(d) != nil:
		said += "\nYour yes runs this instead, which loses nothing:\n" + offer
	default:
		said += "\nThis would do the same and lose nothing:\n" + offer
	}
	return cut(said)
}

// Asked is the text that an agent reads about a question to its user.
func Asked(d sentinel.Decision) string { return cut(asks+after(reason(d))) + otherwise(d) }

// asks begins a question to the user.
const asks = "Sentinel asks:"

// TakeNotice takes the text for the user out of a decision, in one line, for agents
// that can show it without the model seeing it. A notice that is not taken is part of
// the context.
func TakeNotice(d *sentinel.Decision) string {
	if d.Notice == "" {
		return ""
	}
	notice := oneLine(d.Notice)
	d.Notice = ""
	if notice == "" {
		return ""
	}
	return cut("Sentinel: " + notice)
}

// JSON answers with one JSON value and exit code 0. There is no line end:
// some agents take a text that begins with { and does not end with } for prose.
func JSON(v any) Answer { return Answer{Stdout: Compact(v)} }

// Compact writes strings, and JSON that was read before, as one line of JSON.
func Compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // such values into memory: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// reason is why a call is stopped or the user is asked: one line, or several rules as
// a list below each other.
func reason(d sentinel.Decision) string {
	if d.Verdict != sentinel.VerdictUndecided || d.Err != nil {
		if text := lines(d.Reasons()); text != "" {
			return text
		}
	}
	return "this call could not be judged, and no reason is known"
}

// lines joins texts as a list, one line each, without repeats. A single text is returned
// without a list's mark. No line begins with one of Sentinel's labels.
func lines(texts []string) string {
	var said []string
	for _, one := range texts {
		if one = oneLine(one); one != "" && !slices.Contains(said, one) {
			said = append(said, one)
		}
	}
	if len(said) < 2 {
		return strings.Join(said, "")
	}
	return "- " + strings.Join(said, "\n- ")
}

// after puts what [lines] made behind a label: a list begins a line of its own.
func after(said string) string {
	if strings.Contains(said, "\n") {
		return "\n" + said
	}
	return " " + said
}

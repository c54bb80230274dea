package hook

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/intent"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// hear keeps what the person asks for, so that a call which they asked for can pass. Only
// a prompt counts that this hook received: a process that can write files can write a
// transcript.
func (c *call) hear() {
	defer c.contain("request")
	requests := c.open().Past().Requests()
	if requests == nil || c.event.Session == "" {
		return
	}
	ev := &c.event
	switch {
	case ev.Phase == sentinel.PhaseStart && ev.Source == "clear":
		c.note("request", requests.Forget(ev.Session))
	case ev.Phase == sentinel.PhaseStop && ev.Source == sentinel.SourceScheduled:
		c.note("request", requests.Close(ev.Session))
	case ev.Phase == sentinel.PhasePrompt:
		c.note("request", requests.Add(ev.Session, ev.Dir, c.request()))
	}
}

// request is what the person has written themselves of a prompt; "" where it may be another
// agent's.
func (c *call) request() string {
	if !c.agent.Abilities.HearsPerson || c.event.Part || person.Nested(c.env.Agents) {
		return ""
	}
	said := strings.TrimSpace(c.event.Prompt)
	if rest, found := strings.CutPrefix(said, "<hook_context>"); found {
		// Gemini CLI puts what hooks say at the start of a session before the first prompt. If
		// that closes the mark itself, the true end is left in the text, which then does not count.
		_, said, _ = strings.Cut(rest, "</hook_context>")
		said = strings.TrimSpace(said)
	}
	theirs := transcript.Words(said)
	return intent.Own(secret.Mask(theirs), theirs == said)
}

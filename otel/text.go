package otel

import (
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Limits of attribute values, in characters: those of Sentinel's log.
const (
	maxName   = 200
	maxTarget = 1000
	maxReason = 500
)

// texts makes what comes from agents, rule files and models fit to be sent.
type texts struct{ secrets *secret.Masker }

// textsOf knows the secrets of the call where its texts are sent too: a judge may
// quote them with nothing around that would give them away.
func textsOf(ev sentinel.Event, d sentinel.Decision, details bool) texts {
	var sources []string
	if details {
		sources = telemetry.Texts(ev, d)
	}
	return texts{secret.NewMasker(sources...)}
}

// name is a name or an id.
func (t texts) name(s string) string { return t.cut(s, maxName) }

// cut masks, then cuts: a part of a secret may not look like one. A character
// that moves a terminal's cursor or turns text around becomes a blank, and invalid UTF-8,
// which no protobuf holds, a replacement character.
func (t texts) cut(s string, limit int) string {
	if s == "" {
		return ""
	}
	s = text.Blank(strings.ToValidUTF8(t.secrets.Mask(s), "\uFFFD"))
	n := 0
	for i := range s {
		if n++; n > limit {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

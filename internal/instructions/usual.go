package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// otherTrailer reports whether a line wants another trailer of commits than a sign-off.
func (b *builder) otherTrailer() bool {
	list := b.hit.Terms("trailer")
	return b.has("trailer") && !slices.ContainsFunc(list, func(t sentence.Term) bool { return strings.HasPrefix(strings.ToLower(t.Text), "signed-off-by") })
}

package judges

import (
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/text"
)

// openers have a meaning in a chat template or in our own prompt: the control
// tokens of model families, a code fence, our lines around data. Servers that
// build one text from a conversation read such tokens anywhere in it.
var openers = []string{"<|", "<｜", "<s>", "</s>", "<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "```", "BEGIN DATA", "END DATA"}

var breaker = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, o := range openers {
		pairs = append(pairs, o, broken(o))
	}
	return strings.NewReplacer(pairs...)
})

// broken returns the opener with a gap: it opens nothing and is still legible.
func broken(opener string) string {
	if opener == "```" {
		return "` ` `"
	}
	if first, rest, ok := strings.Cut(opener, " "); ok {
		return first + "_" + rest
	}
	return opener[:1] + " " + opener[1:]
}

// legible returns hostile text as a judge may see it: every character is visible,
// and a server takes nothing in it for the structure of a conversation.
func legible(s string) string { return breaker().Replace(text.Clean(s)) }

// oneLine returns legible text without line breaks and tabs.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(legible(s))
}

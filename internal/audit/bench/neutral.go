package bench

import (
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/text"
)

// openers begin what a chat template or our own prompt gives a meaning: the
// control tokens of model families, a code fence, our lines around data. Servers
// that build one text of a conversation read such tokens wherever they stand.
var openers = []string{"<|", "<｜", "<s>", "</s>", "<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "```", "BEGIN DATA", "END DATA"}

var breaker = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, o := range openers {
		pairs = append(pairs, o, broken(o))
	}
	return strings.NewReplacer(pairs...)
})

// broken is an opener that opens nothing and still shows what stood there.
func broken(opener string) string {
	if opener == "```" {
		return "` ` `"
	}
	if first, rest, ok := strings.Cut(opener, " "); ok {
		return first + "_" + rest
	}
	return opener[:1] + " " + opener[1:]
}

// legible is hostile text as a judge may see it: every character visible, and
// nothing in it that a server could take for the structure of a conversation.
func legible(s string) string { return breaker().Replace(text.Clean(s)) }

// oneLine is legible text without line breaks, whatever it was.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(legible(s))
}

package instructions

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// headingText is a heading of Markdown in `code`.
var headingText = lazy.Regexp{Source: `^#{1,6} [^#'"<{\[]{2,60}$|^[A-Z][\w -]{2,40}:$`}

// pullHeading wants a heading in the texts of pull requests. A text from a file or a variable is
// unknown and passes.
func (b *builder) pullHeading() []ruletext.Rule {
	text := b.termOf(b.hit.Slots["text"]).Text
	if b.act().Name != "pull-request" || !headingText.Get().MatchString(text) {
		return nil
	}
	title := strings.TrimLeft(text, "# ")
	pattern, part := `#\s*`+regexp.QuoteMeta(title), "heading"
	if title == text { // a label: "Notes:"
		title, pattern, part = strings.TrimSuffix(text, ":"), regexp.QuoteMeta(text), "part"
	}
	r := ruletext.Rule{ID: title, Trigger: "bash", Scope: pullTexts, Message: "Give the text a part with the heading " + text + "."}
	if part == "part" {
		r.Message = "Give the text a part that begins with " + text
	}
	r.Why = "It stops pull requests whose text has no " + part + " " + text + "."
	r.When = valueOf("--body", `in ["-b", "--body"]`, "body") +
		"body != \"\" and (not (body startsWith \"$\") or body startsWith \"$(cat <<\") and not (cmd.text matches `(?i)" + pattern + "`)"
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title x --body 'The thing'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title x --body '" + text + "'"}),
		ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title x --body \"$BODY\""}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
	return []ruletext.Rule{r}
}

// pullTitle wants a text at one end of the titles of pull requests, or within them.
func (b *builder) pullTitle() []ruletext.Rule {
	text := strings.Trim(b.termOf(b.hit.Slots["text"]).Text, `"' `)
	if b.act().Name != "pull-request" || len(text) < 2 || len(text) > 40 || strings.ContainsAny(text, "`'\n|") {
		return nil
	}
	pattern, good, at := "", "", 0
	holes := slotOrHole.Get().FindAllStringIndex(text, -1)
	for _, h := range append(holes, []int{len(text), len(text)}) {
		if part := text[at:h[0]]; part != "" {
			pattern, good = pattern+strings.ReplaceAll(regexp.QuoteMeta(part), " ", `\s*`), good+part
		}
		if h[0] < h[1] {
			pattern, good = pattern+`\S+`, good+"x1"
		}
		at = h[1]
	}
	if strings.Trim(text, "<>{}[]. …") == "" || strings.TrimPrefix(pattern, `\S+`) == "" {
		return nil
	}
	where := "with " + text + " in it"
	switch how := b.hit.Slots["how"]; {
	case strings.HasPrefix(how, "start"), strings.HasPrefix(how, "begin"), how == "prefix":
		pattern, good, where = "^"+pattern, good+" The thing", "that begins with "+text
	case strings.HasPrefix(how, "end"), strings.HasPrefix(how, "finish"):
		pattern, good, where = pattern+`\s*$`, "The thing "+good, "that ends with "+text
	}
	r := ruletext.Rule{ID: text, Trigger: "bash", Scope: pullTexts, Message: "Write a title " + where + "."}
	r.Why = "It stops pull requests without a title " + where + "."
	r.When = valueOf("--title", `in ["-t", "--title"]`, "title") + "title != \"\" and not (title startsWith \"$\") and not (title matches `" + pattern + "`)"
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title 'Fix it'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title '" + good + "'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
	return []ruletext.Rule{r}
}

// pullTitleLength bounds the titles of pull requests.
func (b *builder) pullTitleLength() []ruletext.Rule {
	n, err := strconv.Atoi(b.hit.Slots["n"])
	if b.act().Name != "pull-request" || err != nil || n < 30 || n > 200 {
		return nil
	}
	r := ruletext.Rule{ID: "length", Trigger: "bash", Scope: pullTexts, Message: fmt.Sprintf("Write a title of at most %d characters.", n)}
	r.Why = fmt.Sprintf("It stops pull requests whose title has more than %d characters.", n)
	r.When = valueOf("--title", `in ["-t", "--title"]`, "title") + fmt.Sprintf("not (title startsWith \"$\") and len(title) > %d", n)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title '" + strings.Repeat("a", n+1) + "'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title 'Mend it'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
	return []ruletext.Rule{r}
}

// slotOrHole is a name in a text for what is to be put there.
var slotOrHole = lazy.Regexp{Source: `<[\w -]+>|\{[\w -]+\}|\.\.\.|…`}

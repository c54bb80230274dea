package instructions

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

const emojis = `[\x{1F300}-\x{1FAFF}\x{2600}-\x{26FF}\x{2705}\x{2728}\x{274C}\x{2753}-\x{2757}\x{2795}-\x{2797}\x{27A1}\x{2B50}\x{2B55}]`

// A sign is what texts are not to have.
type sign struct{ name, pattern, bad, other, good string }

// bothDashes are em and en dashes.
var bothDashes = lazy.Regexp{Source: `\bem(?:[- ]?dash(?:es)?)?(?: \([^)]*\))?(?:,? (?:or|and|nor) | ?/ ?|, )en[- ]?dash`}

// withQuotes are em dashes and, behind them in a list, quotation marks that no keyboard has.
var withQuotes = lazy.Regexp{Source: `\bem[- ]?dash(?:es)?(?: \([^)]*\))?(?:, (?:no |or )?(?:en[- ]?dash(?:es)?|ellips[ei]s|emojis?))*,? ?(?:or |and |nor )?(?:no )?(?:curly|smart|typographic|fancy)(?: |-)(?:quotes?|quotation marks|apostrophes)\b`}

// signOf is the sign that a form is about.
func signOf(f *forms.Form, words string) sign {
	if f.Name == "no-dash" && withQuotes.Get().MatchString(words) {
		no := sign{"em dashes or curly quotes", "[\u2014\u2018\u2019\u201c\u201d]", "done \u2014 shipped", "it\u2019s a", "done - shipped"}
		if bothDashes.Get().MatchString(words) {
			no.name, no.pattern = "em or en dashes or curly quotes", "[\u2013\u2014\u2018\u2019\u201c\u201d]"
		}
		return no
	}
	if f.Name == "no-dash" && bothDashes.Get().MatchString(words) {
		return sign{"em or en dashes", "[\u2013\u2014]", "done \u2013 shipped", "a\u2014b", "done - shipped"}
	}
	if f.Name == "no-dash" {
		return sign{"em dashes", "\u2014", "done \u2014 shipped", "a\u2014b", "done - shipped"}
	}
	return sign{"emojis", emojis, "done \u2705", "\U0001F680 ship", "done → shipped"}
}

// dashes are the words for a sign in a sentence that is about it.
var dashes = lazy.Regexp{Source: `\bem[- ]?dash(?:es)?\b(?: \([^)]*\))?`}

// spoken is the heading of what an agent says, or writes in a review.
var spoken = lazy.Regexp{Source: `(?i)\b(?:reviews?|review guidelines|output style|responses?|repl(?:y|ies|ying)|respond\w*|answer\w*|chat\w*|communicat\w+|tone|voice|talk(?:s|ed|ing)?|sp(?:eak|oke)\w*|dialog(?:ue)?s?|messages? to (?:the )?(?:users?|me|humans?)|(?:address|writ)\w* (?:to )?(?:me|the users?)|(?:with|to) the users?|persona(?:lity)?|conversations?|interact\w+|reporting|summar(?:y|ies))\b`}

// ofReplies reports whether a line is about what an agent says, by its headings below the title, the text
// above it, or its own words.
func (b *builder) ofReplies() bool {
	above := b.s.Section[max(0, min(1, len(b.s.Section)-1), len(b.s.Section)-2):]
	return spoken.Get().MatchString(strings.Join(append(slices.Clone(above), b.s.Lead, survey.Plain(b.quote)), "\n"))
}

// ofWriting is a heading about how documents are written.
var ofWriting = lazy.Regexp{Source: `\b(?:markdown|docs?|documentation|prose)\b`}

// emoji forbids a sign, such as emojis, in commits, in files or in both.
func (b *builder) emoji() (list []ruletext.Rule) {
	no, said := signOf(b.hit.Form, b.hit.Phrase.Words), dashes.Get().ReplaceAllString(b.hit.Phrase.Words, "emojis")
	if b.ofReplies() || emojiPlace.Get().MatchString(said) || inThese.Get().MatchString(said) {
		return nil
	}
	if m := ofOwnSubject.Get().FindStringSubmatch(said); m != nil && !ofEmojis.Get().MatchString(m[1]) {
		return nil // what they look like has none
	}
	if strings.HasSuffix(said, ":") { // the list says where
		said += " " + strings.ToLower(strings.Join(b.s.Items, ", "))
	}
	said = b.placesOf(said)
	if at := emojisIn.Get().FindStringIndex(said); at != nil && !ofEmojis.Get().MatchString(said[at[1]:]) {
		return nil
	}
	above := strings.ToLower(b.s.Lead + "\n" + b.s.Heading())
	commits := strings.Contains(said, "commit") || aboutChanges.Get().MatchString(said)
	comments := regexp.MustCompile(`\bcomments?\b`).MatchString(said)
	files := regexp.MustCompile(`\b(?:code|files?|docs|documentation|readme|output|source)\b`).MatchString(said)
	commits = commits || !files && !comments && underMessages.Get().MatchString(above)
	files = files || !commits && (b.s.OfFolder() != "" || ofWriting.Get().MatchString(above))
	switch {
	case !comments || commits || files:
	case strings.HasSuffix(b.hit.Phrase.Words, ":"): // among others
		files = true
	default:
		return []ruletext.Rule{b.signInComments(no)}
	}
	if commits || !files {
		r := ruletext.Rule{ID: "in commits", Trigger: "bash", Scope: []string{"git commit*", "gh pr create*", "gh pr comment*", "gh issue*"}, Message: "Write it without " + no.name + "."}
		r.When, r.Why = "cmd.text matches `"+no.pattern+"`", "It stops commits with "+no.name+" in their messages."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git commit -m '" + no.bad + "'"}), ruletext.AsStop(ruletext.Case{Bash: "git commit -m '" + no.other + "'"}), ruletext.AsPass(ruletext.Case{Bash: "git commit -m '" + no.good + "'"})}
		list = append(list, r)
	}
	if files || !commits {
		r := ruletext.Rule{ID: "in files", Trigger: "file_write", Message: "Write it without " + no.name + "."}
		r.When, r.Why = putsIn(no.pattern), "It stops writes that add "+no.name+" to a file."
		if globs, _ := b.codeFiles(); regexp.MustCompile(`\b(?:code|source)\b`).MatchString(said) {
			r.Scope = globs
		}
		p := "src/a.ts"
		if ofDocuments.Get().MatchString(said) && !ofMoreThanDocuments.Get().MatchString(theirFiles.Get().ReplaceAllString(said, "docs")) {
			r.Scope, p = repo.Documents, "docs/a.md"
			if inMarkdown.Get().MatchString(said) {
				r.Scope = pagesOf("markdown")
			}
		}
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "// " + no.bad}), ruletext.AsPass(ruletext.Case{Write: p, Content: "// " + no.good})}
		list = append(list, r)
	}
	return list
}

// signInComments forbids a sign in the comments of code.
func (b *builder) signInComments(no sign) ruletext.Rule {
	globs, p := b.codeFiles()
	r := ruletext.Rule{ID: "in comments", Trigger: "file_write", Scope: globs, Message: "Write the comment without " + no.name + "."}
	r.When, r.Why = putsIn(`(?m)(//|/\*|^\s*\*|(^|\s)#|<!--|--\s)[^\n]*(?<emoji>`+no.pattern+`)`), "It stops writes that add "+no.name+" to comments of code."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "// " + no.bad}), ruletext.AsStop(ruletext.Case{Write: p, Content: "# " + no.bad}), ruletext.AsPass(ruletext.Case{Write: p, Content: "say(\"" + no.bad + "\")"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "// done"})}
	return r
}

var (
	// aboutChanges are words about what is said of changes, and notOfFiles names of what no file has.
	aboutChanges = lazy.Regexp{Source: `‹a\d+›|\b(?:commits?(?: messages?)?|(?:prs?|pull requests?)(?: (?:descriptions?|titles?|bod(?:y|ies)))?)\b`}
	// underMessages is a heading of what is said of changes, and emojiPlace another place for emojis than
	// files of all kinds.
	underMessages = lazy.Regexp{Source: `\b(?:disclosures?|commits?|commit messages?|committing|prs?|pull requests?|merge requests?|git|issues?|releases?|release notes|changelogs?|titles?|branch(?:es)?)\b`}
	emojiPlace    = lazy.Regexp{Source: `\bemojis? (?:in|on|for|within|inside) (?:the |any |your |our |all )*(?:logs?|logging|log \w+|output|ui|cli|terminal|user\S*|error\w*|strings?|titles?|headings?|names?|buttons?|labels?|headers?|console|examples?|print \w+)\b`}
	// ofOwnSubject is a sentence that says of its subject what it is, and that there are none in it.
	ofOwnSubject = lazy.Regexp{Source: `^\W*([a-z][\w -]{2,40}?) (?:are|is|use|uses|have|has|look|begin|start)\b[^.;]*\bno emojis?\b`}
	// inThese names files that the lines above are about.
	inThese = lazy.Regexp{Source: `\bin (?:these|those|this|that|both)\b`}
	// ofDocuments are words about documents, and ofMoreThanDocuments about other files.
	ofDocuments         = lazy.Regexp{Source: `\bin (?:the |any |all )?(?:docs?|documentation|readmes?|markdown)\b`}
	theirFiles          = lazy.Regexp{Source: `\b(?:docs?|documentation|readmes?|markdown) files?\b`}
	inMarkdown          = lazy.Regexp{Source: `\bin (?:the |any |all )?(?:\.md|markdown)\b`}
	ofMoreThanDocuments = lazy.Regexp{Source: `\b(?:cod(?:e|ing)|files?|outputs?|sources?|comments?|any\w*|repo\w*|project|text|ui|cli|terminal|console|logs?|commits?|messages?)\b`}

	emojisIn   = lazy.Regexp{Source: `\bemojis? (?:in|on|within|inside) `}
	ofEmojis   = lazy.Regexp{Source: `‹a\d+›|\b(?:cod(?:e|ing)|files?|docs?|documentation|readmes?|outputs?|sources?|commits?|comments?|pull requests?|prs?|issues?|messages?|names?|any\w*|all|repo\w*|project|text|prose|markdown|logs?)\b`}
	notOfFiles = lazy.Regexp{Source: `\b(?:prs?|pull requests?|issues?|reviews?|commits?) comments?\b|\b(?:code|source|inline) (comments?)\b`}
)

// placesOf are the words that say where no emojis are to be: those of the sentence, or of one in
// front of it that names messages.
func (b *builder) placesOf(said string) string {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		if p.Quote == b.quote || aboutChanges.Get().MatchString(said) {
			break
		}
		if aboutChanges.Get().MatchString(p.Words) {
			said = p.Words + " " + said
		}
	}
	return notOfFiles.Get().ReplaceAllStringFunc(said, func(s string) string {
		if m := notOfFiles.Get().FindStringSubmatch(s); m[1] != "" {
			return m[1]
		}
		first, _, _ := strings.Cut(s, " ")
		return first
	})
}

// styles of file names: what they look like, with a name that is so and one that is not.
func styles() map[string][3]string {
	return map[string][3]string{
		"kebab-case": {`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9.-]+)?$`, "my-file", "MyFile"},
		"snake_case": {`^_*[a-z0-9]+(_[a-z0-9]+)*_*(\.[a-z0-9_.-]+)?$`, "my_file", "MyFile"},
		"pascalcase": {`^[A-Z][A-Za-z0-9]*(\.[A-Za-z0-9.-]+)?$`, "MyFile", "my-file"},
		"camelcase":  {`^[a-z][A-Za-z0-9]*(\.[A-Za-z0-9.-]+)?$`, "myFile", "My-file"},
	}
}

// someFiles is a sentence about the names of some files.
var someFiles = lazy.Regexp{Source: `\bnon-|\bexcept\b|\bfor (?:\w+ )?(?:components?|hooks?|classes|utils|utilities|helpers|pages|routes|tests?|directories|folders)\b|\b(?:other|else|most|rest|usually)\b`}

// madeName is a name for files of one kind.
var madeName = lazy.Regexp{Source: `^[<{][\w -]+[>}]((?:\.\w+){2,})$`}

// ofSome is a label of some files.
var ofSome = lazy.Regexp{Source: `^\W*(?:\w+ ){0,2}(?:pages?|components?|hooks?|routes?|screens?|views?|class(?:es)?|modules?|stores?|services?|utils|utilities|helpers|tests?|styles?|assets?|directories|folders)(?: names?| naming)? ?[:—–]`}

// names wants a style of file names.
func (b *builder) names() []ruletext.Rule {
	name := b.hit.Slots["case"]
	if strings.HasPrefix(name, "‹") {
		name = strings.ToLower(b.termOf(name).Text)
	}
	style, ok := styles()[name]
	if !ok {
		return nil
	}
	globs, example := b.codeFiles()
	ending := path.Ext(example)
	in := b.filesInFolders()
	if len(in) == 0 {
		in = b.filesPlaced()
	}
	if len(in) > 0 {
		globs, example = in, pathglob.Sample(in[0])
		ending = path.Ext(example)
	}
	for _, t := range b.hit.Phrase.Terms { // `{name}.page.ts`
		if m := madeName.Get().FindStringSubmatch(t.Text); m != nil {
			globs, ending = []string{"**/*" + m[1]}, m[1]
		}
	}
	if special := len(in) == 0 && (name == "pascalcase" || name == "camelcase"); special && (len(b.languagesOf()) == 0 || strings.Contains(b.hit.Phrase.Words, "component")) ||
		someFiles.Get().MatchString(b.hit.Phrase.Words) ||
		ofSome.Get().MatchString(b.hit.Phrase.Words) {
		return nil // the line does not say which files it means
	}
	r := ruletext.Rule{ID: name, Trigger: "file_write", Scope: globs, Exclude: []string{"**/_*", "**/.*", "**/+*", "**/*[[(]*", "**/*.d.ts"}, Message: "Name the file in " + name + "."}
	if strings.HasSuffix(globs[0], ofMarkdown) {
		r.Exclude = append(r.Exclude, "**/[A-Z]*[A-Z].*") // README.md and the like
	}
	if name == "pascalcase" || name == "camelcase" { // tools and languages give these their names
		r.Exclude = append(r.Exclude, "**/index.*", "**/main.*", "**/*.config.*", "**/*.{setup,d}.*", "**/vite-env.*")
	}
	r.When = makesFile + fmt.Sprintf(" and not (last(split(path, \"/\")) matches `%s`)", style[0])
	r.Why = "It stops new files whose names are not in " + name + "."
	dir := "src/"
	if len(in) > 0 {
		dir = path.Dir(example) + "/"
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: dir + style[2] + ending, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: dir + style[1] + ending, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: "x"})}
	if len(in) == 0 {
		b.otherNames(&r, name)
	}
	if b.p.NamedOtherwise(&r, style[0]) {
		return nil // the line is about other files
	}
	return []ruletext.Rule{r}
}

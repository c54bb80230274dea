package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A sentence may limit itself to a folder: "In `web/`, use pnpm, not npm". It makes the rules that it
// would make in an instruction file of that folder.

var (
	// folderFirst is the folder that a sentence begins with.
	folderFirst = lazy.Regexp{Source: `^\W*((?:when|whenever|if|while) (?:you(?:['’]re| are)? )?(?:work|edit|cod|develop|mak)\w*(?: (?:code|files|changes|anything))? )?(?:in|inside|within|under|below|for) (?:the |our )?(‹p\d+›)(?: (?:folder|directory|package|app|module|library|service|crate|workspace))?(?: only)?[,:] `}
	// folderBehind is one behind the moment of a demand.
	folderBehind = lazy.Regexp{Source: `\bbefore (?:you )?(?:(?:any|each|every|your) )*(?:‹a\d+›)( (?:(?:to|of|changes|code|anything|work|files) )*(?:in|inside|within|under|below) (?:the |our )?(‹p\d+›))(?:$|[.,;)])`}
	// exceptFirst is an exception to the folder.
	exceptFirst = lazy.Regexp{Source: `^(?:except|excluding|apart from|other than|unless|but not)\b`}
	// readsThere is an order to read something before work in the folder.
	readsThere = lazy.Regexp{Source: `^(?:(?:first|always|also|please|then) )*(?:follow|see|read|consult|check|refer to|review|use|look at|load|start with) (?:the |its )?(?:[\w-]+ ){0,3}?‹p`}
)

// inOwnFolder takes the folder out of a sentence of an instruction file that limits itself to one.
func (p *Project) inOwnFolder(said sentence.Phrase, instructions string) sentence.Phrase {
	own, at := said, ""
	if m := folderFirst.Get().FindStringSubmatch(said.Words); m != nil {
		own.Words, at = said.Words[len(m[0]):], m[2]
		if m[1] != "" && readsThere.Get().MatchString(own.Words) {
			return said
		}
	} else if m := folderBehind.Get().FindStringSubmatch(said.Words); m != nil {
		own.Words, at = strings.Replace(said.Words, m[1], "", 1), m[2]
	}
	dir := strings.TrimRight(said.FolderIn(at), "/")
	if p.Known() && dir != "" {
		dir = strings.TrimRight(p.placed(dir+"/", instructions), "/")
	}
	if dir == "" || p.Whole() && !p.Has(dir) || exceptFirst.Get().MatchString(own.Words) {
		return said
	}
	inFolder := func(t sentence.Term) bool {
		return !strings.Contains(t.Text, "/") || strings.HasPrefix(p.placed(t.Text, dir+"/"+statement.Everywhere[0]), dir+"/")
	}
	for _, t := range own.TermsIn(own.Words) {
		if t.Kind == sentence.File && sentence.Denies.Get().MatchString(own.Words) && certain(t.Text) && !inFolder(t) {
			return said // it forbids something elsewhere
		}
	}
	own.Folder = dir
	return own
}

// inFolderAbove makes the sentences of a statement those of a file in the folder that is named above it.
func (d *drafting) inFolderAbove(all []sentence.Phrase, hits [][]forms.Found) {
	dir := strings.TrimRight(d.above.dir, "/")
	if dir == "" || d.s.OfFolder() != "" || docsFolder.Get().MatchString(d.above.dir) || d.p.Whole() && !d.p.Has(dir) {
		return
	}
	d.above.dir, d.topic = "", dir
	for i := range all {
		if len(hits[i]) > 0 && all[i].Folder == "" {
			all[i].Folder = dir
			d.p.place(&all[i], d.s.Within(dir).Base())
		}
	}
}

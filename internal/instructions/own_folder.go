package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// A sentence may limit itself to a folder: "In `web/`, use pnpm, not npm". It makes the rules that it
// would make in an instruction file of that folder.

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
			d.p.Place(&all[i], d.s.Within(dir).Base())
		}
	}
}

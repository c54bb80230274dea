package vision

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/text"
)

// album is the pictures that a model is shown.
type album struct {
	pages   []page
	missing int      // pages that may hold a diagram and are not among them, at least 1 of a document that could not be read
	why     []string // they are missing
	capped  bool     // some, because there are too many
	names   []string // of the documents that were looked through
}

// page is one picture.
type page struct {
	document string
	number   int
	png      []byte
}

// nothingToSee says why no document can hold a diagram that could be shown;
// Unknown if one can.
func nothingToSee(docs []*document.Document) (audit.Outcome, string) {
	outcome, why := audit.NotApplicable, "there is no document"
	for _, d := range docs {
		switch {
		case d.Unreadable == nil && d.Format == document.FormatPDF:
			return audit.Unknown, ""
		case d.Unreadable != nil:
			outcome, why = d.Unreadable.Outcome, "nothing can be said: "+text.Line(d.Unreadable.Error())
		case outcome == audit.NotApplicable:
			outcome, why = audit.NotSupported, "diagrams are looked for in PDF alone, and there is none"
		}
	}
	return outcome, why
}

// collect renders the pages that may hold diagrams, as many as may be shown.
func collect(ctx context.Context, docs []*document.Document) *album {
	a := &album{}
	for _, d := range docs {
		name := text.Line(d.Name)
		if d.Unreadable != nil {
			a.why = append(a.why, text.Line(d.Unreadable.Error()))
			a.missing++
			continue
		}
		if d.Format != document.FormatPDF {
			a.why = append(a.why, name+" is no PDF")
			continue
		}
		a.names = append(a.names, d.Name)
		pictures, err := d.Pictures(ctx)
		kept := pictures[:min(len(pictures), MaxPages-len(a.pages))]
		for _, p := range kept {
			a.pages = append(a.pages, page{d.Name, p.Page, p.PNG})
		}
		if err != nil {
			a.why = append(a.why, name+": "+text.Line(err.Error()))
		}
		if len(kept) < len(pictures) {
			a.why = append(a.why, fmt.Sprintf("%s: more than %d pages in all", name, MaxPages))
		}
		missing := max(diagrams(d), len(pictures)) - len(kept)
		a.missing += missing
		a.capped = a.capped || missing > 0
	}
	return a
}

// diagrams counts the pages that may hold a diagram.
func diagrams(d *document.Document) int {
	n := 0
	for i := range d.Pages {
		if d.Pages[i].Diagram() {
			n++
		}
	}
	return n
}

// gaps says which pages are missing; "" if none is.
func (a *album) gaps() string {
	if len(a.why) == 0 && a.missing == 0 {
		return ""
	}
	text := "not all could be shown"
	if a.missing > 0 {
		text = fmt.Sprintf("at least %d more could not be shown", a.missing)
	}
	if len(a.why) > 0 {
		text += " (" + strings.Join(a.why, "; ") + ")"
	}
	return text
}

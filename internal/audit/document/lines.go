package document

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// maxLines bounds the lines of a PDF.
const maxLines = 100_000

// lines fills in the text of a page, line by line in the order in which pdfium
// reads it, with how each line is set.
func (r *reader) lines(page requests.Page, raw *rawPage) error {
	loaded, err := r.lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return err
	}
	text := loaded.TextPage
	defer r.lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text})
	count, err := r.lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil || count.Count == 0 {
		return err
	}
	chars := min(count.Count, r.job.MaxText-r.text)
	whole, err := r.lib.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text, Count: chars})
	if err != nil {
		return err
	}
	r.text += len(whole.Text)
	r.cut = chars < count.Count || r.text >= r.job.MaxText
	at := 0 // in UTF-16 units, as pdfium counts
	for line := range strings.Lines(strings.TrimRight(whole.Text, "\x00")) {
		if l := strings.TrimRight(line, "\r\n"); strings.TrimSpace(l) != "" {
			if r.rows++; r.rows > maxLines {
				r.cut = true
				return nil
			}
			raw.lines = append(raw.lines, r.line(text, l, at))
		}
		at += units(line)
	}
	return nil
}

// pageText is the beginning of the text of a page, of at most that many
// characters.
func (r *reader) pageText(page requests.Page, most int) (string, error) {
	loaded, err := r.lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return "", err
	}
	defer r.lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	count, err := r.lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err != nil || count.Count == 0 {
		return "", err
	}
	text, err := r.lib.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: loaded.TextPage, Count: min(count.Count, most)})
	if err != nil {
		return "", err
	}
	return strings.TrimRight(text.Text, "\x00"), nil
}

// line says how the line that begins at that unit of the text is set.
func (r *reader) line(text references.FPDF_TEXTPAGE, line string, at int) rawLine {
	l := rawLine{text: line}
	last := at + units(strings.TrimRight(line, " \t")) - 1
	char, ok := r.char(text, at+units(line[:len(line)-len(strings.TrimLeft(line, " \t"))]))
	if !ok {
		return l
	}
	l.x, l.y = r.origin(text, char)
	l.end = l.y
	if end, ok := r.char(text, last); ok {
		_, l.end = r.origin(text, end)
		l.bold = r.bold(text, char) && r.bold(text, end)
	}
	size, err := r.lib.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: text, Index: char})
	if err != nil {
		return l
	}
	l.size = size.FontSize
	if m, err := r.lib.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: text, Index: char}); err == nil {
		l.size *= newMatrix(m.Matrix).scale()
	}
	l.size = finite(l.size)
	return l
}

// bold reports whether a letter is set in a bold font.
func (r *reader) bold(text references.FPDF_TEXTPAGE, char int) bool {
	f, err := r.lib.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: text, Index: char})
	return err == nil && strings.Contains(strings.ToLower(f.FontName), "bold")
}

// char is pdfium's number of the letter at a unit of the text.
func (r *reader) char(text references.FPDF_TEXTPAGE, unit int) (char int, ok bool) {
	index, err := r.lib.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: text, NTextIndex: unit})
	if err != nil || index.CharIndex < 0 {
		return 0, false
	}
	return index.CharIndex, true
}

// origin returns the place of a letter; 0, 0 when pdfium does not know it.
func (r *reader) origin(text references.FPDF_TEXTPAGE, char int) (x, y float64) {
	o, err := r.lib.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: char})
	if err != nil {
		return 0, 0
	}
	return finite(o.X), finite(o.Y)
}

// maxPoints is more than any page has, in points: PDF 1.7 allows 14,400 (annex C).
const maxPoints = 1e6

// finite returns f, or 0 for a NaN and for a place outside of every page.
func finite(f float64) float64 {
	if !(math.Abs(f) <= maxPoints) {
		return 0
	}
	return f
}

// units is how many units of UTF-16 a text has.
func units(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

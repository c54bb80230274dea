package document

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// Limits of one survey. Real pages have some thousand objects, and forms three
// or four deep.
const (
	maxObjects    = 100_000   // of one page
	maxAllObjects = 1_000_000 // of a document
	maxDepth      = 16        // of forms in forms
	minImage      = 200       // pixels
	minPoints     = 2         // of text that a person can read
	maxHiddenText = 10_000    // characters of a page, for each reason
)

// survey walks the objects of a page, through all forms: it counts images and
// paths, and finds invisible text.
type survey struct {
	r      *reader
	page   requests.Page
	raw    *rawPage
	bounds box
	seen   int
	ground []painted // objects painted so far
	asked  int       // so many of ground have been looked at
	dark   []box     // those of them that are not white
	scan   bool      // a picture covers most of the page
	texts  []placed
}

// painted is an object that may be below text.
type painted struct {
	object references.FPDF_PAGEOBJECT
	to     matrix
	path   bool // which may be white, or no more than an edge
}

// placed is a text object, and why a person does not see it; "" if it is seen.
type placed struct {
	object references.FPDF_PAGEOBJECT
	why    string
}

// survey fills in the pictures, paths and hidden text of raw, and removes hidden
// text from the page, so that [reader.lines] finds visible text. Text behind a
// scanned picture stays, because it is the text of the picture.
func (r *reader) survey(page requests.Page, raw *rawPage) error {
	rect, err := r.lib.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: page})
	if err != nil {
		return err
	}
	count, err := r.lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return err
	}
	s := &survey{r: r, page: page, raw: raw,
		bounds: box{float64(rect.Rect.Left), float64(rect.Rect.Bottom), float64(rect.Rect.Right), float64(rect.Rect.Top)}.sorted()}
	if err := s.room(count.Count); err != nil {
		return err
	}
	for i := range count.Count {
		object, err := r.lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return err
		}
		if err := s.visit(object.PageObject, identity, 0); err != nil {
			return err
		}
	}
	return s.hide()
}

// room counts the objects of the page, or of a form, before any of them is looked
// at, and fails when there are too many.
func (s *survey) room(objects int) error {
	if s.seen += objects; s.seen > maxObjects {
		return fmt.Errorf("the page has more than %d objects", maxObjects)
	}
	if s.r.seen += objects; s.r.seen > maxAllObjects {
		return fmt.Errorf("the document has more than %d objects", maxAllObjects)
	}
	return nil
}

func (s *survey) visit(object references.FPDF_PAGEOBJECT, to matrix, depth int) error {
	kind, err := s.r.lib.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object})
	if err != nil {
		return err
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_FORM:
		return s.form(object, to, depth)
	case enums.FPDF_PAGEOBJ_PATH:
		s.raw.Paths++
		s.ground = append(s.ground, painted{object, to, true})
	case enums.FPDF_PAGEOBJ_IMAGE:
		s.image(object, to)
	case enums.FPDF_PAGEOBJ_SHADING:
		s.ground = append(s.ground, painted{object, to, false})
	case enums.FPDF_PAGEOBJ_TEXT:
		s.texts = append(s.texts, placed{object, s.unseen(object, to)})
	}
	return nil
}

func (s *survey) form(object references.FPDF_PAGEOBJECT, to matrix, depth int) error {
	if depth == maxDepth {
		return fmt.Errorf("forms are nested deeper than %d", maxDepth)
	}
	count, err := s.r.lib.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: object})
	if err != nil {
		return err
	}
	if err := s.room(count.Count); err != nil {
		return err
	}
	inner := s.matrix(object).then(to)
	for i := range count.Count {
		child, err := s.r.lib.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: object, Index: uint64(i)})
		if err != nil {
			return err
		}
		if err := s.visit(child.PageObject, inner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *survey) matrix(object references.FPDF_PAGEOBJECT) matrix {
	m, err := s.r.lib.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: object})
	if err != nil {
		return identity
	}
	return newMatrix(m.Matrix)
}

func (s *survey) box(object references.FPDF_PAGEOBJECT, to matrix) (b box, ok bool) {
	r, err := s.r.lib.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object})
	if err != nil {
		return b, false
	}
	return to.box(box{float64(r.Left), float64(r.Bottom), float64(r.Right), float64(r.Top)}), true
}

func (s *survey) image(object references.FPDF_PAGEOBJECT, to matrix) {
	size, err := s.r.lib.FPDFImageObj_GetImagePixelSize(&requests.FPDFImageObj_GetImagePixelSize{ImageObject: object})
	if err == nil && size.Width >= minImage && size.Height >= minImage {
		s.raw.Images++
	}
	if b, ok := s.box(object, to); ok && b.covers() > s.bounds.covers()/2 {
		s.scan = true
	}
	s.ground = append(s.ground, painted{object, to, false})
}

// onDark reports whether an object that is not white was painted below b. Few
// pages have white text, so the objects are searched only here.
func (s *survey) onDark(b box) bool {
	for ; s.asked < len(s.ground); s.asked++ {
		p := s.ground[s.asked]
		if p.path && !s.filled(p.object) {
			continue
		}
		if at, ok := s.box(p.object, p.to); ok {
			s.dark = append(s.dark, at)
		}
	}
	return slices.ContainsFunc(s.dark, b.meets)
}

// filled reports whether a path is filled with another colour than white.
func (s *survey) filled(object references.FPDF_PAGEOBJECT) bool {
	mode, err := s.r.lib.FPDFPath_GetDrawMode(&requests.FPDFPath_GetDrawMode{PageObject: object})
	if err != nil || mode.FillMode == enums.FPDF_FILLMODE_NONE {
		return false
	}
	c, err := s.r.lib.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: object})
	return err == nil && !white(c.FillColor) && c.FillColor.A > transparent
}

// Colours from 0 to 255, as a person cannot tell them apart from white and from
// nothing.
const (
	nearlyWhite = 250
	transparent = 5
)

func white(c structs.FPDF_COLOR) bool {
	return c.R >= nearlyWhite && c.G >= nearlyWhite && c.B >= nearlyWhite
}

// unseen says why a person does not see a text object; "" if it is seen.
func (s *survey) unseen(object references.FPDF_PAGEOBJECT, to matrix) string {
	mode, err := s.r.lib.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: object})
	if err == nil && (mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE || mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_CLIP) {
		return "invisible"
	}
	size, err := s.r.lib.FPDFTextObj_GetFontSize(&requests.FPDFTextObj_GetFontSize{PageObject: object})
	if err == nil && math.Abs(float64(size.FontSize))*s.matrix(object).then(to).scale() < minPoints {
		return "smaller than 2 pt"
	}
	b, known := s.box(object, to)
	if known && !b.meets(s.bounds) {
		return "outside the page"
	}
	stroked := mode != nil && mode.TextRenderMode != enums.FPDF_TEXTRENDERMODE_FILL && mode.TextRenderMode != enums.FPDF_TEXTRENDERMODE_FILL_CLIP
	if stroked {
		return ""
	}
	c, err := s.r.lib.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: object})
	switch {
	case err != nil:
	case c.FillColor.A <= transparent:
		return "transparent"
	case white(c.FillColor) && known && !s.onDark(b):
		return "white on white"
	}
	return ""
}

// hide reads the hidden text of each reason, and leaves only visible text active.
func (s *survey) hide() error {
	reasons := map[string]bool{}
	for i := range s.texts {
		t := &s.texts[i]
		if t.why == "invisible" && s.scan {
			t.why = behindScan
		}
		if t.why != "" {
			reasons[t.why] = true
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		if err := s.activate(func(t *placed) bool { return t.why == why }); err != nil {
			return err
		}
		text, err := s.r.pageText(s.page, maxHiddenText)
		if err != nil {
			return err
		}
		if text = softened(text); text != "" {
			s.raw.Hidden = append(s.raw.Hidden, Hidden{Text: strings.ReplaceAll(text, softHyphen, ""), Why: why})
		}
	}
	return s.activate(func(t *placed) bool { return t.why == "" || t.why == behindScan })
}

// activate makes pdfium see these text objects, and no others.
func (s *survey) activate(wanted func(*placed) bool) error {
	for i := range s.texts {
		t := &s.texts[i]
		if _, err := s.r.lib.FPDFPageObj_SetIsActive(&requests.FPDFPageObj_SetIsActive{PageObject: t.object, Active: wanted(t)}); err != nil {
			return err
		}
	}
	return nil
}

const behindScan = "behind a scanned picture"

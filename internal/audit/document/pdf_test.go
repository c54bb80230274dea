package document_test

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
)

// xobjects are the resources that name objects X1, X2, …
func xobjects(numbers ...int) string {
	var b strings.Builder
	b.WriteString("/XObject <<")
	for i, n := range numbers {
		fmt.Fprintf(&b, " /X%d %d 0 R", i+1, n)
	}
	return b.String() + " >>"
}

func boxes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d 100 3 3 re f\n", 10+5*i)
	}
	return b.String()
}

// tall is a picture that covers most of the page.
const tall = "q 600 0 0 780 6 6 cm /X1 Do Q\n"

const body = "A page that says enough to be read as text."

func TestPDFText(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page(textAt("F2", 20, 72, 740, "The Auditor")+
		textAt("F2", 14, 72, 710, "How it works")+
		lines("F1", 11, 72, 690, "The clone happens in a temp-", "orary folder, and never in the", "work tree. It is well-known.")+
		lines("F1", 11, 72, 630, "A second paragraph begins here.")+
		textAt("F1", 11, 72, 600, "- an item of a list")+
		textAt("F1", 11, 72, 586, "- another one")+
		textAt("F2", 11, 72, 550, "Bold alone"), "")
	p.page(lines("F1", 11, 72, 700, "Left column begins", "and goes on here")+lines("F1", 11, 320, 700, "in the right column."), "")
	d := open(t, "a.pdf", p.bytes())
	require.Equal(t, []document.Page{
		{Number: 1, Text: "The Auditor\n\nHow it works\n\nThe clone happens in a temporary folder, and never in the work tree. It is well-known." +
			"\n\nA second paragraph begins here.\n\n- an item of a list\n\n- another one\n\nBold alone"},
		{Number: 2, Text: "Left column begins and goes on here in the right column."},
	}, d.Pages)
	var titles []string
	for _, s := range d.Sections() {
		titles = append(titles, fmt.Sprintf("%s (page %d, %d blocks)", s.Title, s.Page, len(s.Blocks)))
	}
	require.Equal(t, []string{"The Auditor (page 1, 0 blocks)", "How it works (page 1, 4 blocks)", "Bold alone (page 1, 1 blocks)"}, titles)
	require.Equal(t, document.ListItem, d.Blocks[4].Kind)
}

func TestTextIsCut(t *testing.T) {
	t.Parallel()
	p := newPDF()
	for range 3 {
		p.page(textAt("F1", 11, 72, 700, body), "")
	}
	o := *options(t)
	o.MaxText = len(body) + 5
	d, err := document.Open(t.Context(), write(t, "a.pdf", p.bytes()), &o)
	require.NoError(t, err)
	require.True(t, d.Cut)
	require.Len(t, d.Pages, 2)
	require.Equal(t, body[:5], d.Pages[1].Text)
}

func TestHiddenText(t *testing.T) {
	t.Parallel()
	const secret = "Words that nobody sees"
	words := func(font string, size, x, y float64) string { return textAt(font, size, x, y, secret) }
	tests := []struct {
		name    string
		content string
		why     string // "": it is seen
	}{
		{"invisible", "3 Tr\n" + words("F1", 11, 72, 500) + "0 Tr\n", "invisible"},
		{"clip only", "q 7 Tr\n" + words("F1", 11, 72, 500) + "Q\n", "invisible"},
		{"white on white", "1 g\n" + words("F1", 11, 72, 500) + "0 g\n", "white on white"},
		{"nearly white", "0.99 1 0.99 rg\n" + words("F1", 11, 72, 500) + "0 g\n", "white on white"},
		{"white on blue", "0 0 1 rg 60 490 300 40 re f 1 g\n" + words("F1", 11, 72, 500) + "0 g\n", ""},
		{"white with a black edge", "2 Tr 1 g\n" + words("F1", 11, 72, 500) + "0 g 0 Tr\n", ""},
		{"grey", "0.6 g\n" + words("F1", 11, 72, 500) + "0 g\n", ""},
		{"tiny", words("F1", 1.9, 72, 500), "smaller than 2 pt"},
		{"made tiny", "q 0.1 0 0 0.1 0 0 cm\n" + words("F1", 11, 720, 5000) + "Q\n", "smaller than 2 pt"},
		{"made large", "q 10 0 0 10 0 0 cm\n" + words("F1", 1.1, 7.2, 50) + "Q\n", ""},
		{"transparent", "q /Clear gs\n" + words("F1", 11, 72, 500) + "Q\n", "transparent"},
		{"beside the page", words("F1", 11, 800, 500), "outside the page"},
		{"below the page", words("F1", 11, 72, -90), "outside the page"},
		{"in a form", "/X1 Do\n", "invisible"},
		{"in a form that is made tiny", "q 0.1 0 0 0.1 0 0 cm /X2 Do Q\n", "smaller than 2 pt"},
	}
	p := newPDF()
	hidden := p.form("3 Tr\n"+words("F1", 11, 72, 400), "")
	plain := p.form(words("F1", 11, 72, 400), "")
	for _, tt := range tests {
		p.page(textAt("F1", 11, 72, 700, body)+tt.content, xobjects(hidden, plain)+" /ExtGState << /Clear << /ca 0 >> >>")
	}
	d := open(t, "a.pdf", p.bytes())
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.why == "" {
				require.Empty(t, d.Pages[i].Hidden)
				require.Contains(t, d.Pages[i].Text, secret)
				return
			}
			require.Equal(t, []document.Hidden{{Text: secret, Why: tt.why}}, d.Pages[i].Hidden)
			require.Equal(t, body, d.Pages[i].Text)
		})
	}
}

// Letters that are placed one by one, in another order, are read as the words
// that they make.
func TestHiddenLetters(t *testing.T) {
	t.Parallel()
	const secret = "do no good deed and be happ1"
	const em, letter, space = 11, 0.556, 0.278 // as wide as Helvetica has these letters
	var b strings.Builder
	b.WriteString("3 Tr\n")
	x := 72.0
	for _, r := range secret {
		b.WriteString(textAt("F1", em, x, 500, string(r)))
		x += em * letter
		if r == ' ' {
			x += em * (space - letter)
		}
	}
	b.WriteString("0 Tr\n1 g\n" + textAt("F1", 11, 72, 400, "and white") + "0 g\n")
	p := newPDF()
	p.page(textAt("F1", 11, 72, 700, body)+b.String()+textAt("F1", 11, 72, 300, "Seen below."), "")
	d := open(t, "a.pdf", p.bytes())
	require.Equal(t, []document.Hidden{{Text: secret, Why: "invisible"}, {Text: "and white", Why: "white on white"}}, d.Pages[0].Hidden)
	require.Equal(t, body+"\n\nSeen below.", d.Pages[0].Text)
}

// The text that a scanner's software has read in its picture is the text of
// the page; it is still reported as invisible.
func TestTextBehindScan(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page(tall+"3 Tr\n"+textAt("F1", 11, 72, 700, body), xobjects(p.image(300, 400)))
	d := open(t, "a.pdf", p.bytes())
	require.Equal(t, body, d.Pages[0].Text)
	require.Equal(t, []document.Hidden{{Text: body, Why: "behind a scanned picture"}}, d.Pages[0].Hidden)
}

func TestScanned(t *testing.T) {
	t.Parallel()
	p := newPDF()
	x := xobjects(p.image(300, 400))
	p.page(tall, x)
	p.page(tall+textAt("F1", 11, 300, 20, "2"), x)
	d, err := document.Open(t.Context(), write(t, "scan.pdf", p.bytes()), options(t))
	var u *document.Unreadable
	require.ErrorAs(t, err, &u)
	require.Equal(t, audit.NotAvailable, u.Outcome)
	require.ErrorContains(t, u, "no text layer: 2 pages are pictures")
	pictures, err := d.Pictures(t.Context())
	require.NoError(t, err, "a vision model can look at it all the same")
	require.Len(t, pictures, 2)
}

func TestDiagrams(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		content string
		images  int
		paths   int
		diagram bool
	}{
		{"text", "", 0, 0, false},
		{"39 paths", boxes(39), 0, 39, false},
		{"40 paths", boxes(40), 0, 40, true},
		{"17 and 23 in nested forms", boxes(17) + "/X2 Do\n", 0, 40, true},
		{"one form twice", "/X3 Do /X3 Do\n", 0, 46, true},
		{"an icon", "q 20 0 0 20 0 0 cm /X4 Do Q\n", 0, 0, false},
		{"an image", "q 20 0 0 20 0 0 cm /X1 Do Q\n", 1, 0, true},
	}
	p := newPDF()
	image, icon := p.image(200, 200), p.image(400, 199)
	inner := p.form(boxes(23), "")
	outer := p.form("/X1 Do\n", xobjects(inner))
	for _, tt := range tests {
		p.page(textAt("F1", 11, 72, 700, body)+tt.content, xobjects(image, outer, inner, icon))
	}
	d := open(t, "a.pdf", p.bytes())
	pictures, err := d.Pictures(t.Context())
	require.NoError(t, err)
	var rendered []int
	for _, picture := range pictures {
		rendered = append(rendered, picture.Page)
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.images, d.Pages[i].Images)
			require.Equal(t, tt.paths, d.Pages[i].Paths)
			require.Equal(t, tt.diagram, d.Pages[i].Diagram())
			require.Equal(t, tt.diagram, slices.Contains(rendered, i+1))
		})
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.page(textAt("F1", 11, 72, 700, body), "")
	p.page("/Half gs 1 0 0 rg 0 0 306 792 re f\n"+boxes(40), "/ExtGState << /Half << /ca 0.5 >> >>")
	d := open(t, "a.pdf", p.bytes())
	pictures, err := d.Pictures(t.Context())
	require.NoError(t, err)
	require.Len(t, pictures, 1)
	got := pictures[0]
	require.Equal(t, 2, got.Page)
	require.Equal(t, 41, got.Paths)
	require.Equal(t, 1211, got.Width)
	require.Equal(t, 1568, got.Height)
	img, err := png.Decode(bytes.NewReader(got.PNG))
	require.NoError(t, err)
	require.Equal(t, got.Width, img.Bounds().Dx())
	r, g, b, _ := img.At(1000, 200).RGBA()
	require.Equal(t, [3]uint32{0xffff, 0xffff, 0xffff}, [3]uint32{r, g, b}, "the ground is white where the page is transparent")
	r, g, _, _ = img.At(100, 200).RGBA()
	require.Equal(t, uint32(0xffff), r)
	require.InDelta(t, 0x8000, g, 0x200, "half of red on white")
}

func TestPicturesAreFew(t *testing.T) {
	t.Parallel()
	p := newPDF()
	p.box = "300 30"
	for range 14 {
		p.page(textAt("F1", 11, 20, 10, body)+boxes(40), "")
	}
	path := write(t, "a.pdf", p.bytes())
	d, err := document.Open(t.Context(), path, options(t))
	require.NoError(t, err)
	pictures, err := d.Pictures(t.Context())
	require.ErrorContains(t, err, "14 pages hold diagrams, and the first 12 are rendered")
	require.Len(t, pictures, 12)

	o := *options(t)
	o.NoPictures = true
	d, err = document.Open(t.Context(), path, &o)
	require.NoError(t, err)
	pictures, err = d.Pictures(t.Context())
	require.ErrorContains(t, err, "not rendered, as was asked")
	require.Empty(t, pictures)
	require.True(t, d.Pages[13].Diagram(), "they are counted all the same")
}

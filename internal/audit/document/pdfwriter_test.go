package document_test

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"strings"
)

// pdf writes a small PDF, so that no test needs a file from elsewhere.
type pdf struct {
	objects []string // object n is at n-1
	pages   []int
	trailer string // more of the trailer's dictionary
	count   int    // of pages, as the file says; 0 for as many as there are
	box     string // of the pages that follow, in points; "" is Letter
	key     []byte // that streams are encrypted with; nil for none
}

// The objects that every file has.
const (
	objCatalog = 1
	objPages   = 2
	objFont    = 3
	objBold    = 4
)

func newPDF() *pdf {
	p := &pdf{}
	p.add("<< /Type /Catalog /Pages 2 0 R >>")
	p.add("") // the page tree, written at the end
	p.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	p.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	return p
}

// add adds an object and returns its number.
func (p *pdf) add(body string) int {
	p.objects = append(p.objects, body)
	return len(p.objects)
}

// stream adds a stream with these entries in its dictionary.
func (p *pdf) stream(dict, data string) int {
	if p.key != nil {
		number := binary.LittleEndian.AppendUint32(nil, uint32(len(p.objects)+1))[:3]
		sum := md5.Sum(append(append(bytes.Clone(p.key), number...), 0, 0))
		data = rc4With(sum[:len(p.key)+5], data)
	}
	return p.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
}

// page adds a page, of 612 by 792 points (Letter) unless box says else. resources name forms and
// images besides the fonts F1 and F2.
func (p *pdf) page(content, resources string) {
	c := p.stream("", content)
	p.pages = append(p.pages, p.add(fmt.Sprintf(
		"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R /F2 %d 0 R >> %s >> >>",
		objPages, cmp.Or(p.box, "612 792"), c, objFont, objBold, resources)))
}

// form adds a form of the page's size.
func (p *pdf) form(content, resources string) int {
	return p.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 %d 0 R /F2 %d 0 R >> %s >>",
		objFont, objBold, resources), content)
}

// image adds a grey image.
func (p *pdf) image(width, height int) int {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(bytes.Repeat([]byte{0x80}, width*height))
	z.Close()
	return p.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode",
		width, height), b.String())
}

// bytes returns the file.
func (p *pdf) bytes() []byte {
	kids := make([]string, len(p.pages))
	for i, n := range p.pages {
		kids[i] = fmt.Sprintf("%d 0 R", n)
	}
	p.objects[objPages-1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), max(p.count, len(kids)))
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(p.objects))
	for i, body := range p.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(p.objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(p.objects)+1, objCatalog, p.trailer, xref)
	return b.Bytes()
}

// lines sets text in lines of 14 points from a height downwards.
func lines(font string, size, x, y float64, texts ...string) string {
	var b strings.Builder
	for i, t := range texts {
		b.WriteString(textAt(font, size, x, y-14*float64(i), t))
	}
	return b.String()
}

func textAt(font string, size, x, y float64, text string) string {
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, pdfString.Replace(text))
}

var pdfString = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)

// encrypt has what is added from now on encrypted by the standard handler with a
// 40-bit key (PDF 1.7, section 7.6.3).
func (p *pdf) encrypt(password string) {
	const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"
	const id, permissions = "0123456789abcdef", -4
	owner := strings.Repeat("o", 32)
	all := (password + padding)[:32] + owner
	all += string(binary.LittleEndian.AppendUint32(nil, uint32(permissions&0xffffffff))) + id
	sum := md5.Sum([]byte(all))
	p.key = sum[:5]
	n := p.add(fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /O <%x> /U <%x> /P %d >>", owner, rc4With(p.key, padding), permissions))
	p.trailer += fmt.Sprintf("/Encrypt %d 0 R /ID [<%x> <%x>]", n, id, id)
}

func rc4With(key []byte, data string) string {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, []byte(data))
	return string(out)
}

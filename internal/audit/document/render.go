package document

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/requests"
)

// How pages with diagrams are rendered. A vision model sees a letter or A4 page
// whole at 1568 pixels, which is 134 to 142 dpi; larger pages get fewer.
const (
	maxPictures = 12
	maxSide     = 1568 // pixels
	renderDPI   = 150
	maxPNG      = 8 << 20 // bytes of one picture
)

// pictures sends the pages rendered, as many as there may be.
func (r *reader) pictures(pages []int) (last done, err error) {
	if len(pages) > maxPictures {
		last.Unrendered = fmt.Sprintf("%d pages hold diagrams, and the first %d are rendered", len(pages), maxPictures)
		pages = pages[:maxPictures]
	}
	for _, n := range pages {
		data, err := r.render(n)
		if err != nil {
			last.Unrendered = fmt.Sprintf("page %d: %s", n, firstLine(err))
			if brokeDown(err) {
				return last, nil
			}
			continue
		}
		if err := r.out.Encode(message{Picture: &picture{Page: n, PNG: data}}); err != nil {
			return last, err
		}
	}
	return last, nil
}

// render returns a page as PNG on white.
func (r *reader) render(n int) ([]byte, error) {
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: r.doc, Index: n - 1}}
	w, err := r.lib.FPDF_GetPageWidthF(&requests.FPDF_GetPageWidthF{Page: page})
	if err != nil {
		return nil, err
	}
	h, err := r.lib.FPDF_GetPageHeightF(&requests.FPDF_GetPageHeightF{Page: page})
	if err != nil {
		return nil, err
	}
	width, height := pixels(float64(w.PageWidth), float64(h.PageHeight))
	out, err := r.lib.RenderPageInPixels(&requests.RenderPageInPixels{Page: page, Width: width, Height: height})
	if err != nil {
		return nil, err
	}
	defer out.Cleanup()
	return encode(out.Result.Image)
}

// pixels is the size of a page of that many points.
func pixels(width, height float64) (w, h int) {
	scale := renderDPI / 72.0
	if longest := max(width, height) * scale; longest > maxSide {
		scale *= maxSide / longest
	}
	return max(1, int(math.Floor(width*scale))), max(1, int(math.Floor(height*scale)))
}

// encode puts a rendered page on white. Of a page with transparency, pdfium leaves
// the ground transparent, and does not multiply colours by it.
func encode(page *image.RGBA) ([]byte, error) {
	from := &image.NRGBA{Pix: page.Pix, Stride: page.Stride, Rect: page.Rect}
	to := image.NewRGBA(page.Rect)
	draw.Draw(to, to.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(to, to.Rect, from, page.Rect.Min, draw.Over)
	var b bytes.Buffer
	if err := png.Encode(&b, to); err != nil {
		return nil, err
	}
	if b.Len() > maxPNG {
		return nil, fmt.Errorf("its picture has %d bytes, more than %d", b.Len(), maxPNG)
	}
	return b.Bytes(), nil
}

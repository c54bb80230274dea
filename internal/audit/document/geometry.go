package document

import (
	"math"

	"github.com/klippa-app/go-pdfium/structs"
)

// box is a rectangle in points, from the page's lower left corner.
type box struct{ left, bottom, right, top float64 }

func (b box) sorted() box {
	return box{min(b.left, b.right), min(b.bottom, b.top), max(b.left, b.right), max(b.bottom, b.top)}
}

// meets reports whether the two share more than an edge.
func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.bottom < o.top && o.bottom < b.top
}

// covers is the area in square points.
func (b box) covers() float64 { return (b.right - b.left) * (b.top - b.bottom) }

// matrix maps x to a·x + c·y + e and y to b·x + d·y + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

func newMatrix(m structs.FPDF_FS_MATRIX) matrix {
	return matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}
}

// then is m first, and o after it.
func (m matrix) then(o matrix) matrix {
	return matrix{
		m.a*o.a + m.b*o.c, m.a*o.b + m.b*o.d,
		m.c*o.a + m.d*o.c, m.c*o.b + m.d*o.d,
		m.e*o.a + m.f*o.c + o.e, m.e*o.b + m.f*o.d + o.f,
	}
}

// scale is how much taller m makes things.
func (m matrix) scale() float64 { return math.Hypot(m.c, m.d) }

// box is the smallest box around b after m.
func (m matrix) box(b box) box {
	x := [4]float64{b.left, b.left, b.right, b.right}
	y := [4]float64{b.bottom, b.top, b.bottom, b.top}
	out := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i := range x {
		px, py := m.a*x[i]+m.c*y[i]+m.e, m.b*x[i]+m.d*y[i]+m.f
		out = box{min(out.left, px), min(out.bottom, py), max(out.right, px), max(out.top, py)}
	}
	return out
}

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Scale is the lowest and the highest score; scores are whole numbers. nil, and
// anything but two numbers, is the scale from 1 to 5.
type Scale []int

// MaxScore bounds the highest score of a scale.
const MaxScore = 1000

// Low is the lowest score.
func (s Scale) Low() int {
	if len(s) != 2 {
		return 1
	}
	return s[0]
}

// High is the highest score.
func (s Scale) High() int {
	if len(s) != 2 {
		return 5
	}
	return s[1]
}

// Span is the distance of the lowest and the highest score.
func (s Scale) Span() float64 { return float64(s.High() - s.Low()) }

// At is the place on the scale of a share of its span: 0 is the lowest score, 0.5
// the middle.
func (s Scale) At(share float64) float64 { return float64(s.Low()) + share*s.Span() }

// From is the place on the scale of a score on another one.
func (s Scale) From(score float64, other Scale) float64 {
	if s.Low() == other.Low() && s.High() == other.High() {
		return score
	}
	return s.At((score - float64(other.Low())) / other.Span())
}

// Written returns the scale with both numbers.
func (s Scale) Written() Scale { return Scale{s.Low(), s.High()} }

// Has reports whether a score is on the scale.
func (s Scale) Has(score int) bool { return score >= s.Low() && score <= s.High() }

// Round makes a score of a number: half up, and on the scale.
func (s Scale) Round(x float64) int {
	return int(min(max(math.Floor(x+0.5), float64(s.Low())), float64(s.High())))
}

// String writes "1 to 5".
func (s Scale) String() string { return fmt.Sprintf("%d to %d", s.Low(), s.High()) }

// Decimals writes a score with as many decimals as it has, at most two.
func Decimals(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}

// Scored reports whether there is a score with the verdict.
func (v Verdict) Scored() bool { return v == Pass || v == Partial || v == Fail }

// The JSON of what may have no score has the key where there is one: on a scale
// from 0, a score may be 0.

// MarshalJSON leaves the score out where Err says why there is none.
func (o Opinion) MarshalJSON() ([]byte, error) {
	type plain Opinion
	return scoredJSON(struct {
		Score *int `json:"score,omitempty"`
		plain
	}{shown(o.Score, o.Err == ""), plain(o)})
}

// MarshalJSON leaves the score out where there is no verdict.
func (r Result) MarshalJSON() ([]byte, error) {
	type plain Result
	return scoredJSON(struct {
		Score *int `json:"score,omitempty"`
		plain
	}{shown(r.Score, r.Verdict.Scored()), plain(r)})
}

// MarshalJSON leaves the score out where no criterion counts.
func (o Overall) MarshalJSON() ([]byte, error) {
	type plain Overall
	return scoredJSON(struct {
		Score *float64 `json:"score,omitempty"`
		plain
	}{shown(o.Score, o.Counted > 0), plain(o)})
}

func shown[T any](score T, there bool) *T {
	if !there {
		return nil
	}
	return &score
}

// scoredJSON leaves it to the caller's encoder whether < and > are escaped.
func scoredJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return text.Bytes(), err
}

package rule

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/agentsentinel/sentinel"
)

// errDamaged is what [ReadFile] returns for anything that AppendFile cannot
// have written.
var errDamaged = errors.New("rule: the cached form of a rule file is damaged")

// The flags of the flat form.
const (
	flagPost = 1 << iota
	flagWarning
)

// AppendFile appends the flat form of a parsed file to dst: every text with its
// length before it, numbers as varints. It leaves Definition.Tests and
// Definition.Draft out, which judging does not need; who does needs the file.
// The form is for caches of this version of the program alone, which have to
// say so themselves.
func AppendFile(dst []byte, f *File) []byte {
	d := &f.Definition
	for _, s := range f.texts() {
		dst = appendText(dst, *s)
	}
	for _, l := range d.lists() {
		dst = appendList(dst, *l)
	}
	flags := byte(0)
	if d.Post {
		flags |= flagPost
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(max(f.Line, 0)))
	dst = binary.AppendUvarint(dst, uint64(len(f.Problems)))
	for i := range f.Problems {
		dst = appendProblem(dst, &f.Problems[i])
	}
	return dst
}

// texts are the fields that are one text, in the order of the flat form.
func (f *File) texts() [11]*string {
	d := &f.Definition
	return [...]*string{
		&f.Path, &f.Abs, &d.ID, &d.Trigger, &d.Severity, &d.Backend, &d.Model,
		&d.When, &d.Prompt, &d.Message, &d.Mode,
	}
}

// lists are the fields that are a list, in the order of the flat form.
func (d *Definition) lists() [3]*[]string {
	return [...]*[]string{&d.Scope, &d.Exclude, &d.Fallback}
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendList writes 0 for nil, else one more than the length: an empty list is
// not the same as none.
func appendList(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(list))+1)
	for _, s := range list {
		dst = appendText(dst, s)
	}
	return dst
}

func appendProblem(dst []byte, p *sentinel.Problem) []byte {
	flags := byte(0)
	if p.Warning {
		flags |= flagWarning
	}
	dst = append(appendText(appendText(dst, p.File), p.Message), flags)
	dst = binary.AppendUvarint(dst, uint64(max(p.Line, 0)))
	return binary.AppendUvarint(dst, uint64(max(p.Column, 0)))
}

// ReadFile reads what AppendFile wrote from the beginning of src and returns
// what follows it. The texts of f are parts of src, not copies. src may be
// damaged or hostile: then the error says so, and nothing is believed or
// allocated by a length that src cannot hold.
func ReadFile(src string) (f File, rest string, err error) {
	r := reader{src: src}
	for _, s := range f.texts() {
		*s = r.text()
	}
	for _, l := range f.Definition.lists() {
		*l = r.list()
	}
	f.Definition.Post = r.flags(flagPost) != 0
	f.Line = r.int()
	if n := r.count(problemBytes); n > 0 {
		f.Problems = make([]sentinel.Problem, n)
		for i := range f.Problems {
			r.problem(&f.Problems[i])
		}
	}
	if r.damaged {
		return File{}, "", errDamaged
	}
	return f, r.src, nil
}

// A reader takes values from the front of src. Once it is damaged it gives only
// zero values.
type reader struct {
	src     string
	damaged bool
}

func (r *reader) fail() {
	r.damaged, r.src = true, ""
}

func (r *reader) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(r.src) && i < binary.MaxVarintLen64; i++ {
		c := r.src[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.src = r.src[i+1:]
			return v
		}
	}
	r.fail()
	return 0
}

func (r *reader) int() int {
	v := r.uvarint()
	if v > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(v)
}

// problemBytes is the least that a problem takes: two empty texts, its flags,
// line and column.
const problemBytes = 5

// count reads a number of values, each of which takes so many bytes at least.
func (r *reader) count(each int) int {
	v := r.uvarint()
	if v > uint64(len(r.src)/each) {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *reader) text() string {
	n := r.count(1)
	s := r.src[:n]
	r.src = r.src[n:]
	return s
}

func (r *reader) list() []string {
	v := r.uvarint()
	if v == 0 {
		return nil
	}
	if v-1 > uint64(len(r.src)) {
		r.fail()
		return nil
	}
	list := make([]string, v-1)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

// flags reads a byte in which only the known flags may be set.
func (r *reader) flags(known byte) byte {
	if r.src == "" || r.src[0]&^known != 0 {
		r.fail()
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b
}

func (r *reader) problem(p *sentinel.Problem) {
	p.File, p.Message = r.text(), r.text()
	p.Warning = r.flags(flagWarning) != 0
	p.Line, p.Column = r.int(), r.int()
}

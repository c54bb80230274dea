package gitobject

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// The kinds of what a pack has. The last two are changes of another object.
const (
	ofsDelta = 6
	refDelta = 7
)

var kinds = [...]string{1: "commit", 2: "tree", 3: "blob", 4: "tag", refDelta: ""}

// packed reads an object from a pack. chain counts the objects that it is a change for.
func (o *objects) packed(id string, chain int) (kind string, content []byte, err error) {
	p, at, err := o.find(id)
	if err != nil {
		return "", nil, err
	}
	return o.at(p, at, chain)
}

// at reads the object that begins at a place of a pack.
func (o *objects) at(p *pack, at int64, chain int) (kind string, content []byte, err error) {
	if chain > maxChain {
		return "", nil, errLarge
	}
	if p.data == nil {
		if p.data, _, err = safefile.Open(p.path); err != nil {
			return "", nil, fmt.Errorf("gitobject: %w", err)
		}
	}
	r := bufio.NewReader(io.NewSectionReader(p.data, at, 1<<62-at))
	number, size, err := header(r)
	if err != nil {
		return "", nil, err
	}
	var base []byte
	switch number {
	case ofsDelta:
		back, failed := distance(r)
		if failed != nil || back <= 0 || back >= at {
			return "", nil, errFormat
		}
		kind, base, err = o.at(p, at-back, chain+1)
	case refDelta:
		id := make([]byte, o.size)
		if _, err = io.ReadFull(r, id); err == nil {
			kind, base, err = o.packed(string(id), chain+1)
		}
	default:
		if kind = kinds[number]; kind == "" {
			return "", nil, errFormat
		}
		content, err = o.inflate(r, size)
		return kind, content, err
	}
	if err != nil {
		return "", nil, err
	}
	change, err := o.inflate(r, size)
	if err != nil {
		return "", nil, err
	}
	content, err = o.apply(base, change)
	return kind, content, err
}

// header reads the kind of an object, and how long it is.
func header(r io.ByteReader) (kind int, size int64, err error) {
	c, err := r.ReadByte()
	kind, size = int(c>>4&7), int64(c&15)
	for shift := 4; err == nil && c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); shift > 32 {
			return 0, 0, errLarge
		}
		size |= int64(c&0x7f) << shift
	}
	return kind, size, err
}

// distance reads how far back the object begins that this one is a change of.
func distance(r io.ByteReader) (back int64, err error) {
	c, err := r.ReadByte()
	back = int64(c & 0x7f)
	for err == nil && c&0x80 != 0 && back < 1<<50 {
		c, err = r.ReadByte()
		back = (back+1)<<7 | int64(c&0x7f)
	}
	return back, err
}

// apply makes an object of another one and of a change: parts of the other, and texts.
func (o *objects) apply(base, change []byte) ([]byte, error) {
	from, n := binary.Uvarint(change)
	size, m := binary.Uvarint(change[max(n, 0):])
	if n <= 0 || m <= 0 || from != uint64(len(base)) {
		return nil, errFormat
	}
	if size > maxObject || int64(size) > o.left {
		return nil, errLarge
	}
	o.left -= int64(size)
	out := make([]byte, 0, size)
	for change = change[n+m:]; len(change) > 0; {
		part, rest, ok := step(base, change)
		if !ok || len(out)+len(part) > int(size) {
			return nil, errFormat
		}
		out, change = append(out, part...), rest
	}
	if len(out) != int(size) {
		return nil, errFormat
	}
	return out, nil
}

// step is the next part of an object: a text of the change, or a part of base.
func step(base, change []byte) (part, rest []byte, ok bool) {
	op := change[0]
	change = change[1:]
	if op&0x80 == 0 {
		n := int(op)
		if n == 0 || n > len(change) {
			return nil, nil, false
		}
		return change[:n], change[n:], true
	}
	var numbers [2]int64 // where it begins, and how long it is
	for bit := range 7 {
		if op>>bit&1 == 0 {
			continue
		}
		if len(change) == 0 {
			return nil, nil, false
		}
		if bit < 4 {
			numbers[0] |= int64(change[0]) << (8 * bit)
		} else {
			numbers[1] |= int64(change[0]) << (8 * (bit - 4))
		}
		change = change[1:]
	}
	if numbers[1] == 0 {
		numbers[1] = 1 << 16
	}
	if numbers[0]+numbers[1] > int64(len(base)) {
		return nil, nil, false
	}
	return base[numbers[0] : numbers[0]+numbers[1]], change, true
}

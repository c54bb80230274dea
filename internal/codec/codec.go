// Package codec writes plain data (structs of texts, numbers, lists and maps) in
// a flat binary form: the values alone, in the order of their fields.
//
// The form is for caches of one version of the program: it has no names, so a
// reader needs the very types that the writer had. encoding/json would spend
// more time on learning the types, once in each hook process, than on everything
// else that a hook reads.
package codec

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Append appends v, whose type is made of strings, bools, ints, bytes, float64s,
// slices, maps with string keys and structs with exported fields. It panics for
// any other type.
func Append(dst []byte, v any) []byte { return appendValue(dst, reflect.ValueOf(v)) }

// AppendText appends a text with its length before it.
func AppendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// AppendBool appends a byte: 0 or 1.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendValue(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return AppendText(dst, v.String())
	case reflect.Bool:
		return AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(dst, v.Int())
	case reflect.Uint8:
		return append(dst, byte(v.Uint()))
	case reflect.Float64:
		return binary.AppendUvarint(dst, math.Float64bits(v.Float()))
	case reflect.Slice:
		dst = appendLen(dst, v)
		for i := range v.Len() {
			dst = appendValue(dst, v.Index(i))
		}
		return dst
	case reflect.Map:
		dst = appendLen(dst, v)
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
		for _, k := range keys {
			dst = appendValue(AppendText(dst, k.String()), v.MapIndex(k))
		}
		return dst
	case reflect.Struct:
		for i := range v.NumField() {
			dst = appendValue(dst, v.Field(i))
		}
		return dst
	}
	panic("codec: not plain data: " + v.Type().String())
}

// appendLen appends 0 for nil, else one more than the length: an empty list is
// not the same as none.
func appendLen(dst []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return binary.AppendUvarint(dst, 0)
	}
	return binary.AppendUvarint(dst, uint64(v.Len())+1)
}

// A Reader takes values from the front of Rest. Rest may be damaged or hostile:
// no length in it is trusted. After the first value that does not fit the Reader
// has Failed, Rest is empty, and it gives only zero values. The texts that it
// gives are parts of Rest, not copies.
type Reader struct {
	Rest   string
	Failed bool
}

func (r *Reader) fail() { r.Rest, r.Failed = "", true }

// Uint reads an unsigned number.
func (r *Reader) Uint() uint64 {
	var v uint64
	for i := 0; i < len(r.Rest) && i < binary.MaxVarintLen64; i++ {
		c := r.Rest[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.Rest = r.Rest[i+1:]
			return v
		}
	}
	r.fail()
	return 0
}

// Text reads what [AppendText] wrote.
func (r *Reader) Text() string { return r.Bytes(r.Uint()) }

// Bytes reads the next n bytes as they are.
func (r *Reader) Bytes(n uint64) string {
	if n > uint64(len(r.Rest)) {
		r.fail()
		return ""
	}
	s := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return s
}

// Bool reads what [AppendBool] wrote. Any other byte is damage.
func (r *Reader) Bool() bool {
	switch r.Bytes(1) {
	case "\x00":
		return false
	case "\x01":
		return true
	}
	r.fail()
	return false
}

// Value reads what [Append] wrote into what v points to.
func (r *Reader) Value(v any) { r.value(reflect.ValueOf(v).Elem()) }

func (r *Reader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(r.Text())
	case reflect.Bool:
		v.SetBool(r.Bool())
	case reflect.Int, reflect.Int64:
		n := r.Uint()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Uint8:
		if s := r.Bytes(1); s != "" {
			v.SetUint(uint64(s[0]))
		}
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(r.Uint()))
	case reflect.Slice:
		if n, ok := r.len(); ok {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				r.value(v.Index(i))
			}
		}
	case reflect.Map:
		if n, ok := r.len(); ok {
			v.Set(reflect.MakeMapWithSize(v.Type(), n))
			for range n {
				key, value := reflect.ValueOf(r.Text()), reflect.New(v.Type().Elem()).Elem()
				r.value(value)
				v.SetMapIndex(key.Convert(v.Type().Key()), value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.value(v.Field(i))
		}
	default:
		r.fail()
	}
}

// len reads a length that Rest can hold; ok is false for nil.
func (r *Reader) len() (n int, ok bool) {
	size := r.Uint()
	if size == 0 {
		return 0, false
	}
	if size-1 > uint64(len(r.Rest)) { // an element takes at least a byte
		r.fail()
		return 0, false
	}
	return int(size - 1), true
}

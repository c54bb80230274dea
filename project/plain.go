package project

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
)

// Plain data (structs of texts, numbers, lists and maps, such as a
// configuration) in a flat form: the values alone, in the order of the fields.
// encoding/json would spend more time on learning the types, once in each hook
// process, than on everything else that is read. The layout is that of this very
// program: see cachePath.

// appendPlain appends v, whose type is made of strings, bools, ints, float64s,
// slices, maps with string keys and structs with exported fields.
func appendPlain(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Bool:
		return appendBool(b, v.Bool())
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint8:
		return append(b, byte(v.Uint()))
	case reflect.Float64:
		return binary.AppendUvarint(b, math.Float64bits(v.Float()))
	case reflect.Slice:
		b = appendLen(b, v)
		for i := range v.Len() {
			b = appendPlain(b, v.Index(i))
		}
		return b
	case reflect.Map:
		b = appendLen(b, v)
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int {
			if x.String() < y.String() {
				return -1
			}
			return 1
		})
		for _, k := range keys {
			b = appendPlain(appendText(b, k.String()), v.MapIndex(k))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendPlain(b, v.Field(i))
		}
		return b
	}
	panic("project: not plain data: " + v.Type().String()) // a test keeps such types out
}

// appendLen appends 0 for nil, else one more than the length.
func appendLen(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return binary.AppendUvarint(b, 0)
	}
	return binary.AppendUvarint(b, uint64(v.Len())+1)
}

// plain reads what appendPlain wrote into v. It trusts no length.
func (d *decoder) plain(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text())
	case reflect.Bool:
		v.SetBool(d.bool())
	case reflect.Int, reflect.Int64:
		n := d.uint()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Uint8:
		v.SetUint(uint64(d.byte()))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(d.uint()))
	case reflect.Slice:
		if n, ok := d.len(); ok {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				d.plain(v.Index(i))
			}
		}
	case reflect.Map:
		if n, ok := d.len(); ok {
			v.Set(reflect.MakeMapWithSize(v.Type(), n))
			for range n {
				key, value := reflect.ValueOf(d.text()), reflect.New(v.Type().Elem()).Elem()
				d.plain(value)
				v.SetMapIndex(key.Convert(v.Type().Key()), value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.plain(v.Field(i))
		}
	default:
		d.failed = true
	}
}

// len is a length that the rest can hold; ok is false for nil.
func (d *decoder) len() (n int, ok bool) {
	size := d.uint()
	if size == 0 {
		return 0, false
	}
	if size-1 > uint64(len(d.rest)) { // an element takes at least a byte
		d.failed = true
		return 0, false
	}
	return int(size - 1), true
}

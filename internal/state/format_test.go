package state

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"
)

// The fuzz targets hold that no content of a file makes a reader panic
// or take more memory than the file has, and that what is accepted is what was
// written.

func FuzzEntry(f *testing.F) {
	key, id := []byte("key"), sha256.Sum256([]byte("a"))
	whole := encodeEntry([]byte("value"), key, id, time.UnixMilli(1774880521000))
	f.Add(whole)
	f.Add(whole[:entryHead])
	f.Add([]byte(entryMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		value, created, ok := decodeEntry(data, key, id)
		if ok && !bytes.Equal(encodeEntry(value, key, id, created), data) {
			t.Fatalf("accepted, but not as it was written: %q at %v", value, created)
		}
		if _, _, ok := decodeEntry(encodeEntry(data, key, id, created), key, id); !ok {
			t.Fatal("what was written is not read")
		}
	})
}

func FuzzValue(f *testing.F) {
	seal := valueSeal{[]byte("key"), fileName("name")}
	whole := seal.encode([]byte("value"))
	f.Add(whole)
	f.Add(whole[:valueHead])
	f.Add(append(whole, "what was longer before"...))
	f.Add([]byte(valueMagic + "\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		value, ok := seal.decode(data)
		if !ok && value != nil {
			t.Fatalf("refused, but %q is returned", value)
		}
		if ok && !bytes.HasPrefix(data, seal.encode(value)) {
			t.Fatalf("accepted, but not as it was written: %q", value)
		}
		if got, ok := seal.decode(seal.encode(data)); (!ok || !bytes.Equal(got, data)) && len(data) > 0 && len(data) <= maxValue {
			t.Fatal("what was written is not read")
		}
	})
}

func FuzzGiven(f *testing.F) {
	id, when := givenID("rule", "text"), time.UnixMilli(1774880521000)
	seal := givenSeal{[]byte("key"), fileName("s")}
	whole := seal.append(nil, givenRecord{id, when})
	f.Add(whole)
	f.Add(append(seal.append(nil, givenRecord{givenID("rule", "other"), when}), whole...))
	f.Add(whole[:givenSize-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		last, at := seal.find(data, id)
		if at >= 0 && !bytes.HasPrefix(data[at*givenSize:], seal.append(nil, givenRecord{id, last})) {
			t.Fatalf("record %d was not written by us", at)
		}
	})
}

func FuzzLedger(f *testing.F) {
	whole := ledgerRecord{tokens: 300, money: 0.25, estimated: true}.append(nil)
	f.Add(whole)
	f.Add(append(whole[:7:7], whole...))
	f.Add(bytes.Repeat(whole, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		var u Usage
		done := u.addRecords(data)
		if done > len(data) || len(data)-done >= ledgerSize {
			t.Fatalf("%d of %d bytes are done with", done, len(data))
		}
		if u.Tokens < 0 || !(u.Money >= 0) || u.Calls*int64(ledgerSize) > int64(len(data)) || u.Estimated > u.Calls {
			t.Fatalf("%+v of %d bytes", u, len(data))
		}
		before := u.Calls
		u.addRecords(append(data[:done:done], whole...)) // the next record counts, whatever is before it
		if u.Calls <= before {
			t.Fatal("a whole record was passed over")
		}
	})
}

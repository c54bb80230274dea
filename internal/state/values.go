package state

import (
	"bytes"
	"crypto/hmac"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Values keeps small values by name, shared by all processes of the user, which
// change them one at a time. It may be used concurrently.
//
// A value is sealed with the user's key: another program could say that a judge does not
// answer, and it would not be asked. One that does not verify counts as missing.
type Values struct {
	dir   string
	key   func() []byte
	turns [16]sync.Mutex // by file; unlike the lock of a file, a mutex serves goroutines in turn
}

// NewValues keeps values in files of dir, sealed with the [Key] of the folder above dir.
// Nothing is touched before the first Update.
func NewValues(dir string) *Values { return &Values{dir: dir, key: keyAbove(dir)} }

// seal seals the value of a name.
func (v *Values) seal(name string) valueSeal { return valueSeal{v.key(), fileName(name)} }

const (
	// maxValue bounds a value, so that it is written in one piece.
	maxValue = 4000
	// Values that were not changed for a month belong to servers and models that
	// are no longer used.
	valueAge  = 31 * 24 * time.Hour
	maxValues = 1000
)

// Load returns the value of name: nil if there is none, if it is damaged, or if
// another user could have written it.
func (v *Values) Load(name string) []byte {
	path := v.path(name)
	data, err := Read(path)
	if err != nil || len(data) == 0 {
		return nil
	}
	seal := v.seal(name)
	value, ok := seal.decode(data)
	if ok {
		return value
	}
	// It may be that another process was writing at this moment.
	f, err := openLocked(path, v.tidy)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ = readShared(f)
	value, _ = seal.decode(data)
	return value
}

// Has reports whether there may be a value of name.
func (v *Values) Has(name string) bool {
	_, err := os.Lstat(v.path(name))
	return err == nil
}

// Update replaces the value of name by the result of change. Other processes wait
// meanwhile, so change must be quick. It gets nil for a value
// that is missing or damaged, and returns nil to remove it.
func (v *Values) Update(name string, change func(old []byte) []byte) error {
	path, seal := v.path(name), v.seal(name)
	if len(seal.key) == 0 {
		return named(path, ErrNoKey)
	}
	turn := &v.turns[crc32.ChecksumIEEE([]byte(path))%uint32(len(v.turns))]
	turn.Lock()
	defer turn.Unlock()
	f, err := openLocked(path, v.tidy)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := readShared(f)
	if err != nil {
		return err
	}
	old, _ := seal.decode(data)
	value := change(old)
	switch {
	case len(value) > maxValue:
		return fmt.Errorf("state: a value of %d bytes is larger than %d", len(value), maxValue)
	case len(value) == 0:
		return f.Truncate(0)
	case bytes.Equal(value, old):
		return nil
	}
	_, err = f.WriteAt(seal.encode(value), 0) // the rest of a longer value may follow: the length tells
	return err
}

func (v *Values) path(name string) string { return filepath.Join(v.dir, fileName(name)) }

func (v *Values) tidy(dir string) { prune(dir, isFileName, valueAge, maxValues) }

// A value's file holds the magic, the length of the value, the seal of both and the value,
// and the value.
const (
	valueMagic = "SNV2"
	valueSum   = 16
	valueHead  = len(valueMagic) + 4 + valueSum
)

// A valueSeal seals the value in a file of this name.
type valueSeal struct {
	key  []byte
	file string
}

func (s valueSeal) encode(value []byte) []byte {
	b := make([]byte, 0, valueHead+len(value))
	b = append(b, valueMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
	b = append(b, s.sum(b, value)...)
	return append(b, value...)
}

// decode trusts no length.
func (s valueSeal) decode(data []byte) (value []byte, ok bool) {
	if len(s.key) == 0 || len(data) < valueHead || string(data[:len(valueMagic)]) != valueMagic {
		return nil, false
	}
	head, sum, rest := data[:len(valueMagic)+4], data[len(valueMagic)+4:valueHead], data[valueHead:]
	size := binary.LittleEndian.Uint32(head[len(valueMagic):])
	if uint64(size) > uint64(len(rest)) || !hmac.Equal(sum, s.sum(head, rest[:size])) {
		return nil, false
	}
	return rest[:size], true
}

func (s valueSeal) sum(head, value []byte) []byte {
	return keyed(s.key, []byte("value 1 "+s.file), head, value)[:valueSum] // a file's name has a fixed length
}

// checksum finds damage: nothing here is synced to disk. Against other users the
// owner and the mode of a file are checked.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"time"
)

// Values keeps small values by name, shared by all processes of the user, which
// change them one at a time. It may be used concurrently.
type Values struct{ dir string }

// NewValues keeps values in files of dir. Nothing is touched before the first
// Update.
func NewValues(dir string) *Values { return &Values{dir} }

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
	value, ok := decodeValue(data)
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
	value, _ = decodeValue(data)
	return value
}

// Update replaces the value of name by the result of change. Other processes wait
// meanwhile, so change must be quick. It gets nil for a value
// that is missing or damaged, and returns nil to remove it.
func (v *Values) Update(name string, change func(old []byte) []byte) error {
	path := v.path(name)
	f, err := openLocked(path, v.tidy)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := readShared(f)
	if err != nil {
		return err
	}
	old, _ := decodeValue(data)
	value := change(old)
	switch {
	case len(value) > maxValue:
		return fmt.Errorf("state: a value of %d bytes is larger than %d", len(value), maxValue)
	case len(value) == 0:
		return f.Truncate(0)
	case bytes.Equal(value, old):
		return nil
	}
	_, err = f.WriteAt(encodeValue(value), 0) // the rest of a longer value may follow: the length tells
	return err
}

func (v *Values) path(name string) string { return filepath.Join(v.dir, fileName(name)) }

func (v *Values) tidy(dir string) { prune(dir, isFileName, valueAge, maxValues) }

// A value's file holds the magic, the length of the value, a checksum over both
// and the value, and the value.
const (
	valueMagic = "SNV1"
	valueHead  = len(valueMagic) + 4 + 4
)

func encodeValue(value []byte) []byte {
	b := make([]byte, 0, valueHead+len(value))
	b = append(b, valueMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
	b = binary.LittleEndian.AppendUint32(b, checksum(b, value))
	return append(b, value...)
}

// decodeValue trusts no length.
func decodeValue(data []byte) (value []byte, ok bool) {
	if len(data) < valueHead || string(data[:len(valueMagic)]) != valueMagic {
		return nil, false
	}
	size := binary.LittleEndian.Uint32(data[len(valueMagic):])
	sum := binary.LittleEndian.Uint32(data[len(valueMagic)+4:])
	rest := data[valueHead:]
	if uint64(size) > uint64(len(rest)) {
		return nil, false
	}
	if checksum(data[:len(valueMagic)+4], rest[:size]) != sum {
		return nil, false
	}
	return rest[:size], true
}

// checksum finds damage: nothing here is synced to disk. Against other users the
// owner and the mode of a file are checked.
func checksum(parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := uint32(0)
	for _, p := range parts {
		sum = crc32.Update(sum, table, p)
	}
	return sum
}

package project

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"unsafe"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// compiled is what is kept of a folder between hook calls: the parsed files with
// the stamps that say whether they are still the same. Parsing YAML for every
// tool call would cost more than everything else together.
type compiled struct {
	dir    string
	config compiledConfig
	rules  []compiledRule // in the order of their names
}

type compiledConfig struct {
	present  bool
	stamp    stamp
	racy     bool   // too young to be believed when it was read
	digest   string // of the file's bytes, what trust pins; "" when it could not be read
	value    config.Config
	problems []sentinel.Problem
}

type compiledRule struct {
	name  string
	stamp stamp
	racy  bool
	file  rule.File
}

// files are the rule files, as package rule wants them.
func (c *compiled) files() []rule.File {
	files := make([]rule.File, len(c.rules), len(c.rules)+2)
	for i := range c.rules {
		files[i] = c.rules[i].file
	}
	return files
}

// version tells this state of the files from another one.
func (c *compiled) version() string {
	b := appendText(nil, c.config.digest)
	for i := range c.rules {
		b = c.rules[i].stamp.append(appendText(b, c.rules[i].name))
	}
	return string(b)
}

// format is the first word of a compiled file. It changes with the layout.
const format = "sentinel-compiled-1"

// cachePath is where the compiled form of a folder is kept. It depends on the folder,
// and on the program that wrote it and the backends that it adds, so that two programs
// do not read each other's.
func cachePath(cacheDir, dir string, backends []string) string {
	if cacheDir == "" {
		return ""
	}
	h := fnv.New128a()
	h.Write([]byte(dir))
	h.Write([]byte{0})
	h.Write([]byte(program()))
	for _, name := range backends {
		h.Write([]byte("\x00" + name))
	}
	return filepath.Join(cacheDir, "rules", hex.EncodeToString(h.Sum(nil)))
}

// program identifies the running executable without reading it.
func program() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(exe)
	if err != nil {
		return exe
	}
	s := newStamp(info)
	return string(s.append([]byte(exe)))
}

// write keeps the compiled form. A reader sees the old one or this one.
func (c *compiled) write(path string) error {
	b := appendText(nil, format)
	b = appendText(b, c.dir)
	b = appendBool(b, c.config.present)
	b = appendBool(b, c.config.racy)
	b = c.config.stamp.append(b)
	b = appendText(b, c.config.digest)
	b = appendPlain(b, reflect.ValueOf(c.config.value))
	b = appendPlain(b, reflect.ValueOf(c.config.problems))
	b = binary.AppendUvarint(b, uint64(len(c.rules)))
	for i := range c.rules {
		r := &c.rules[i]
		b = appendText(b, r.name)
		b = appendBool(b, r.racy)
		b = r.stamp.append(b)
		b = rule.AppendFile(b, &r.file)
	}
	b = binary.LittleEndian.AppendUint32(b, checksum(b))
	return state.Write(path, b)
}

// checksum guards against damage: caches are not synced to disk. Against another
// user the file's owner and mode are checked, see package state.
func checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// readCompiled returns the compiled form of the folder dir, or nil when there is
// none that can be believed.
func readCompiled(path, dir string) *compiled {
	if path == "" {
		return nil
	}
	b, err := state.Read(path)
	if err != nil || len(b) <= 4 {
		return nil
	}
	body := b[:len(b)-4]
	if checksum(body) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil
	}
	// The bytes are not written again, and a copy of them would be a third of the work.
	c, err := decodeCompiled(unsafe.String(unsafe.SliceData(body), len(body)))
	if err != nil || c.dir != dir {
		return nil
	}
	return c
}

var errDamaged = errors.New("project: the compiled rules are damaged")

// decodeCompiled reads what write wrote. It trusts no length.
func decodeCompiled(src string) (*compiled, error) {
	d := decoder{rest: src}
	if d.text() != format {
		return nil, errDamaged
	}
	c := &compiled{dir: d.text()}
	c.config.present = d.bool()
	c.config.racy = d.bool()
	c.config.stamp = d.stamp()
	c.config.digest = d.text()
	d.plain(reflect.ValueOf(&c.config.value).Elem())
	d.plain(reflect.ValueOf(&c.config.problems).Elem())
	n := d.uint()
	if d.failed || n > uint64(len(d.rest)) { // each rule takes more than a byte
		return nil, errDamaged
	}
	c.rules = make([]compiledRule, n)
	for i := range c.rules {
		r := &c.rules[i]
		r.name = d.text()
		r.racy = d.bool()
		r.stamp = d.stamp()
		if d.failed {
			return nil, errDamaged
		}
		var err error
		if r.file, d.rest, err = rule.ReadFile(d.rest); err != nil {
			return nil, errDamaged
		}
	}
	if d.failed || d.rest != "" {
		return nil, errDamaged
	}
	return c, nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func (s stamp) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(s.size))
	b = binary.AppendUvarint(b, uint64(s.mtime))
	b = binary.AppendUvarint(b, uint64(s.ctime))
	return binary.AppendUvarint(b, s.inode)
}

// A decoder takes values off the front of a text. After the first that does not
// fit it has failed and gives zeros.
type decoder struct {
	rest   string
	failed bool
}

func (d *decoder) uint() uint64 {
	var v uint64
	for shift := 0; shift < 64 && len(d.rest) > 0; shift += 7 {
		c := d.rest[0]
		d.rest = d.rest[1:]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	d.failed = true
	return 0
}

func (d *decoder) text() string {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.failed = true
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) byte() byte {
	if d.rest == "" {
		d.failed = true
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

func (d *decoder) bool() bool { return d.byte() == 1 }

func (d *decoder) stamp() stamp {
	return stamp{size: int64(d.uint()), mtime: int64(d.uint()), ctime: int64(d.uint()), inode: d.uint()}
}

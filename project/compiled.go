package project

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
)

// A compiled is what was read of a folder: the parsed files with the stamps that
// say whether they are still the same. It is kept between hook calls, because
// parsing YAML for every tool call would cost more than everything else together.
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
	h := fnv.New128a()
	b := codec.AppendText(nil, c.config.digest)
	for i := range c.rules {
		b = c.rules[i].stamp.append(codec.AppendText(b, c.rules[i].name))
	}
	h.Write(b)
	return string(h.Sum(nil))
}

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

// A compiled file is the format, the length and the checksum of the front, the
// front, and the rules one after the other. The front has all that a call needs
// to which few rules apply, so that the others are neither read nor decoded.
const (
	format    = "sentinel-compiled-2\n"
	frontAt   = len(format) + 4 + 4
	tableStep = 4 + 4 // where a rule ends, and its checksum
	readWhole = 64 << 10
)

// write keeps the compiled form. sources are the rule files in the order in which
// the system lists them, and nil when the listing alone does not tell whether
// they are the same: a link may lead somewhere else. A reader sees the old file
// or this one.
func (c *compiled) write(path string, sources []source) error {
	files := c.files()
	var bodies, table []byte
	for i := range c.rules {
		start := len(bodies)
		bodies = c.rules[i].append(bodies)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(bodies)))
		table = binary.LittleEndian.AppendUint32(table, checksum(bodies[start:]))
	}
	b := codec.AppendText(nil, c.dir)
	b = codec.AppendBool(b, c.config.present)
	b = codec.AppendBool(b, c.config.racy)
	b = c.config.stamp.append(b)
	b = codec.AppendText(b, c.config.digest)
	b = codec.Append(b, c.config.value)
	b = codec.Append(b, c.config.problems)
	b = codec.AppendText(b, c.version())
	b = codec.AppendBool(b, sources != nil && c.settled(files))
	b = codec.AppendText(b, string(appendListing(nil, sources)))
	b = codec.AppendText(b, string(table))
	b = rule.AppendIndex(b, files, foldsCase())

	head := binary.LittleEndian.AppendUint32([]byte(format), uint32(len(b)))
	head = binary.LittleEndian.AppendUint32(head, checksum(b))
	return state.Write(path, append(append(head, b...), bodies...))
}

// settled reports whether the rules are the same as long as their files are, and
// none depends on another one.
func (c *compiled) settled(files []rule.File) bool {
	for i := range c.rules {
		if c.rules[i].racy {
			return false
		}
	}
	return rule.Distinct(files)
}

// append leaves the tests and the origin of a draft out, which judging does not
// need: commands that do need them read the file.
func (r *compiledRule) append(b []byte) []byte {
	b = codec.AppendText(b, r.name)
	b = codec.AppendBool(b, r.racy)
	b = r.stamp.append(b)
	file := r.file
	file.Definition.Tests, file.Definition.Draft = nil, nil
	return codec.Append(b, file)
}

// checksum guards against damage: caches are not synced to disk. Against another
// user the file's owner and mode are checked, see package state.
func checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// kept is a compiled file that was read: its front, and the rules where it is
// small.
type kept struct {
	path    string // of the compiled file
	dir     string
	config  compiledConfig
	version string // see compiled.version
	settled bool
	listing string // see appendListing
	table   string
	index   rule.Index
	bodies  string // "" when they have to be read
	size    int64  // of all before the bodies
}

var errDamaged = errors.New("project: the compiled rules are damaged")

// readKept returns the compiled form of the folder dir, or nil when there is none
// that can be believed.
func readKept(path, dir string) *kept {
	if path == "" {
		return nil
	}
	f, size, err := state.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, frontAt)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(format)]) != format {
		return nil
	}
	front := int64(binary.LittleEndian.Uint32(head[len(format):]))
	rest := size - int64(frontAt)
	if front > rest {
		return nil
	}
	if rest > readWhole {
		rest = front
	}
	b := make([]byte, rest)
	if _, err := io.ReadFull(f, b); err != nil || checksum(b[:front]) != binary.LittleEndian.Uint32(head[len(format)+4:]) {
		return nil
	}
	text := unsafe.String(unsafe.SliceData(b), len(b)) // the bytes are not written again; a copy would cost as much as all else here
	k, err := decodeFront(text[:front])
	if err != nil || k.dir != dir {
		return nil
	}
	k.path, k.bodies, k.size = path, text[front:], int64(frontAt)+front
	return k
}

// decodeFront reads the front of a compiled file. It trusts no length.
func decodeFront(src string) (*kept, error) {
	r := codec.Reader{Rest: src}
	k := &kept{}
	k.dir = r.Text()
	k.config.present = r.Bool()
	k.config.racy = r.Bool()
	k.config.stamp = readStamp(&r)
	k.config.digest = r.Text()
	r.Value(&k.config.value)
	r.Value(&k.config.problems)
	k.version = r.Text()
	k.settled = r.Bool()
	k.listing = r.Text()
	k.table = r.Text()
	k.index = rule.ReadIndex(&r, k.count(), foldsCase())
	if r.Failed || r.Rest != "" || len(k.table)%tableStep != 0 {
		return nil, errDamaged
	}
	return k, nil
}

// count is the number of rules.
func (k *kept) count() int { return len(k.table) / tableStep }

// rules reads some of the rules by their numbers. An error means that the file was
// damaged or replaced.
func (k *kept) rules(numbers []int) ([]compiledRule, error) {
	var f io.ReaderAt
	if len(numbers) > 0 && k.bodies == "" {
		file, _, err := state.Open(k.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		f = file
	}
	rules := make([]compiledRule, len(numbers))
	for at, i := range numbers {
		body, err := k.body(f, i)
		if err != nil {
			return nil, err
		}
		if rules[at], err = decodeRule(body); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// body is the encoded rule i, from f where it was not read yet.
func (k *kept) body(f io.ReaderAt, i int) (string, error) {
	start, end := uint32(0), k.field(i*tableStep)
	if i > 0 {
		start = k.field((i - 1) * tableStep)
	}
	if start > end || end-start > maxBody || f == nil && int64(end) > int64(len(k.bodies)) {
		return "", errDamaged
	}
	b := make([]byte, end-start)
	if f == nil {
		copy(b, k.bodies[start:end])
	} else if _, err := f.ReadAt(b, k.size+int64(start)); err != nil {
		return "", err
	}
	if checksum(b) != k.field(i*tableStep+4) {
		return "", errDamaged
	}
	return unsafe.String(unsafe.SliceData(b), len(b)), nil
}

// field is the number at a place of the table.
func (k *kept) field(at int) uint32 { return binary.LittleEndian.Uint32([]byte(k.table[at : at+4])) }

// maxBody bounds an encoded rule: its file, what is said of its faults, and its
// names.
const maxBody = 4 * maxFileBytes

// decodeRule reads what compiledRule.append wrote. It trusts no length.
func decodeRule(src string) (compiledRule, error) {
	r := codec.Reader{Rest: src}
	c := compiledRule{name: r.Text(), racy: r.Bool(), stamp: readStamp(&r)}
	r.Value(&c.file)
	if r.Failed || r.Rest != "" {
		return compiledRule{}, errDamaged
	}
	return c, nil
}

// all reads all rules; nil when they are damaged.
func (k *kept) all() []compiledRule {
	if k == nil {
		return nil
	}
	numbers := make([]int, k.count())
	for i := range numbers {
		numbers[i] = i
	}
	rules, err := k.rules(numbers)
	if err != nil {
		return nil
	}
	return rules
}

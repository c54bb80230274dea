package project

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/codec"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/record"
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

	pin   string           // the seal of the pin that this was compared with; "" for none
	found []pin.Difference // from the pin, and files that are broken
}

type compiledConfig struct {
	present  bool
	name     string // of the file: not in the compiled form
	stamp    stamp
	racy     bool   // too young to be believed when it was read
	digest   string // of the file's bytes, what trust pins; "" when it could not be read
	unread   bool   // it could not be read, or is damaged: not in the compiled form
	value    config.Config
	problems []rule.Problem
}

type compiledRule struct {
	name  string
	stamp stamp  // of a pinned rule: none
	sum   string // of the content, see pin.Sum; "" when it could not be read
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
	if pin.Held(c.found) {
		b = codec.AppendText(b, c.pin)
	}
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

// A compiled file is the format, the length of the sealed front, that front, and the
// rules one after the other. The front has all that a call needs to which few rules
// apply, so that the others are neither read nor decoded. It has a digest of each rule,
// so that its seal covers them as well.
const (
	format    = "sentinel-compiled-7\n"
	frontAt   = len(format) + 4
	tableStep = 4 + bodySum // where a rule ends, and its digest
	bodySum   = 16
	readWhole = 64 << 10
)

// compiledSeal seals compiled files: a rule that another program put there would be
// believed in the place of the one in the repository.
func compiledSeal(key []byte) state.Sealed { return state.NewSealed(key, "compiled 3") }

// write keeps the compiled form. sources are the rule files in the order in which
// the system lists them, and nil when the listing alone does not tell whether
// they are the same: a link may lead somewhere else. A reader sees the old file
// or this one.
func (c *compiled) write(path string, key []byte, sources []source, faults []string) error {
	files := c.files()
	var bodies, table []byte
	for i := range c.rules {
		start := len(bodies)
		bodies = c.rules[i].append(bodies)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(bodies)))
		table = append(table, digestBody(bodies[start:])...)
	}
	b := codec.AppendText(nil, c.dir)
	b = codec.AppendBool(b, c.config.present)
	b = codec.AppendBool(b, c.config.racy)
	b = c.config.stamp.append(b)
	b = codec.AppendText(b, c.config.digest)
	b = codec.Append(b, c.config.value)
	b = codec.Append(b, c.config.problems)
	b = codec.AppendText(b, c.pin)
	b = codec.Append(b, c.found)
	b = codec.AppendText(b, c.version())
	b = codec.Append(b, faults)
	b = codec.AppendBool(b, sources != nil && c.settled(files))
	b = codec.AppendText(b, string(appendListing(nil, sources)))
	b = codec.AppendText(b, string(table))
	b = codec.Append(b, rule.NeedsOf(files))
	b = rule.AppendIndex(b, files, foldsCase())

	front := compiledSeal(key).Seal(filepath.Base(path), b)
	head := binary.LittleEndian.AppendUint32([]byte(format), uint32(len(front)))
	return state.Write(path, append(append(head, front...), bodies...))
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
	b = codec.AppendText(b, r.sum)
	b = codec.AppendBool(b, r.racy)
	b = r.stamp.append(b)
	file := r.file
	file.Definition.Tests, file.Definition.Draft = nil, nil
	return codec.Append(b, file)
}

// digestBody is what the front says of an encoded rule.
func digestBody(b []byte) []byte {
	sum := digest.Sum(b)
	return sum[:bodySum]
}

// A snapshot is a compiled file that was read: its front, and the rules if it is
// small.
type snapshot struct {
	path    string // of the compiled file
	dir     string
	config  compiledConfig
	pin     string // see compiled.pin, as found
	found   []pin.Difference
	version string   // see compiled.version
	faults  []string // see Folder.Broken
	settled bool
	listing string // see appendListing
	table   string
	needs   rule.Needs
	index   rule.Index
	bodies  string // "" when they have to be read
	size    int64  // of all before the bodies
}

var errDamaged = errors.New("project: the compiled rules are damaged")

// readSnapshot returns the compiled form of the folder dir, or nil if it has none that
// can be trusted. An error says that its seal does not verify.
func readSnapshot(path, dir string, key func() []byte) (*snapshot, error) {
	if path == "" {
		return nil, nil
	}
	f, size, err := state.Open(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	head := make([]byte, frontAt)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(format)]) != format {
		return nil, state.ErrSeal
	}
	sealed := int64(binary.LittleEndian.Uint32(head[len(format):]))
	rest := size - int64(frontAt)
	if sealed > rest {
		return nil, state.ErrSeal
	}
	if rest > readWhole {
		rest = sealed
	}
	b := make([]byte, rest)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, nil
	}
	front, err := compiledSeal(key()).Open(filepath.Base(path), b[:sealed])
	if err != nil {
		return nil, err
	}
	s, err := decodeFront(asText(front))
	if err != nil || s.dir != dir {
		return nil, state.ErrSeal
	}
	s.path, s.bodies, s.size = path, asText(b[sealed:]), int64(frontAt)+sealed
	return s, nil
}

// asText is b without a copy, which would cost as much as all else here: the bytes are
// not written again.
func asText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decodeFront reads the front of a compiled file. It trusts no length.
func decodeFront(src string) (*snapshot, error) {
	r := codec.Reader{Rest: src}
	s := &snapshot{}
	s.dir = r.Text()
	s.config.present = r.Bool()
	s.config.racy = r.Bool()
	s.config.stamp = readStamp(&r)
	s.config.digest = r.Text()
	r.Value(&s.config.value)
	r.Value(&s.config.problems)
	s.pin = r.Text()
	r.Value(&s.found)
	s.version = r.Text()
	r.Value(&s.faults)
	s.settled = r.Bool()
	s.listing = r.Text()
	s.table = r.Text()
	r.Value(&s.needs)
	s.index = rule.ReadIndex(&r, s.count(), foldsCase())
	if r.Failed || r.Rest != "" || len(s.table)%tableStep != 0 {
		return nil, errDamaged
	}
	return s, nil
}

// count is the number of rules.
func (s *snapshot) count() int { return len(s.table) / tableStep }

// rules reads some of the rules by their numbers. An error means that the file was
// damaged or replaced.
func (s *snapshot) rules(numbers []int) ([]compiledRule, error) {
	var f io.ReaderAt
	if len(numbers) > 0 && s.bodies == "" {
		file, _, err := state.Open(s.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		f = file
	}
	rules := make([]compiledRule, len(numbers))
	for at, i := range numbers {
		body, err := s.body(f, i)
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
func (s *snapshot) body(f io.ReaderAt, i int) (string, error) {
	start, end := uint32(0), s.field(i*tableStep)
	if i > 0 {
		start = s.field((i - 1) * tableStep)
	}
	if start > end || end-start > maxBody || f == nil && int64(end) > int64(len(s.bodies)) {
		return "", errDamaged
	}
	b := make([]byte, end-start)
	if f == nil {
		copy(b, s.bodies[start:end])
	} else if _, err := f.ReadAt(b, s.size+int64(start)); err != nil {
		return "", err
	}
	if at := i*tableStep + 4; string(digestBody(b)) != s.table[at:at+bodySum] {
		return "", errDamaged
	}
	return asText(b), nil
}

// field is the number at a place of the table.
func (s *snapshot) field(at int) uint32 {
	return binary.LittleEndian.Uint32([]byte(s.table[at : at+4]))
}

// maxBody bounds an encoded rule: its file, what is said of its faults, and its
// names.
const maxBody = 4 * maxFileBytes

// decodeRule reads what compiledRule.append wrote. It trusts no length.
func decodeRule(src string) (compiledRule, error) {
	r := codec.Reader{Rest: src}
	c := compiledRule{name: r.Text(), sum: r.Text(), racy: r.Bool(), stamp: readStamp(&r)}
	r.Value(&c.file)
	if r.Failed || r.Rest != "" {
		return compiledRule{}, errDamaged
	}
	return c, nil
}

// all reads all rules; nil when they are damaged.
func (s *snapshot) all() []compiledRule {
	if s == nil {
		return nil
	}
	numbers := make([]int, s.count())
	for i := range numbers {
		numbers[i] = i
	}
	rules, err := s.rules(numbers)
	if err != nil {
		return nil
	}
	return rules
}

// snapshot is the compiled form of the folder dir, nil if it has none that can be
// trusted: then the rules are read from their files.
func (o *Options) snapshot(path, dir string) *snapshot {
	s, err := readSnapshot(path, dir, o.fenceKey)
	o.unsealed("the compiled rules of "+dir, err)
	return s
}

// dropBodies drops a compiled file one of whose rules is not the one that its front
// describes: the next process writes it again. It is noted unless the file was replaced
// as a whole meanwhile, which another process of this program does.
func (o *Options) dropBodies(s *snapshot) {
	now, err := readSnapshot(s.path, s.dir, o.fenceKey)
	if err == nil && now != nil && now.table != s.table {
		return
	}
	os.Remove(s.path)
	o.unsealed("the compiled rules of "+s.dir, state.ErrSeal)
}

// unsealed notes that a file whose seal does not verify was left out, once a day for all
// of them: where the key was replaced, no file verifies. Other errors are not noted.
func (o *Options) unsealed(what string, err error) {
	if o.StateDir == "" || o.NoLog || !errors.Is(err, state.ErrSeal) && !errors.Is(err, state.ErrSealVersion) {
		return
	}
	book := &record.Book{StateDir: o.StateDir, Now: o.Now, Logger: o.Logger}
	book.NoteSeal(what, err)
}

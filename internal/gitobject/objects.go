package gitobject

import (
	"bufio"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

const (
	sha1Size   = sha1.Size
	sha256Size = sha256.Size

	maxObject = 4 << 20  // bytes of one commit or tree, and of what it is a change of
	maxBytes  = 64 << 20 // of all that are read
	maxPacks  = 100
	maxChain  = 128 // objects that are changes of one another
)

var errLarge = errors.New("gitobject: too much to be read")

// errAbsent is an object that is neither in a file of its own nor in a pack.
type errAbsent struct{}

func (errAbsent) Error() string        { return "gitobject: an object is missing" }
func (errAbsent) Is(target error) bool { return target == fs.ErrNotExist }

// digest is the name of an object. size is its length, which says which digest it is.
func digest(size int, kind string, content []byte) string {
	h := sha1.New()
	if size == sha256Size {
		h = sha256.New()
	}
	io.WriteString(h, kind+" "+strconv.Itoa(len(content))+"\x00")
	h.Write(content)
	return string(h.Sum(nil))
}

// objects are those of a repository.
type objects struct {
	dir   string
	size  int // bytes of a name
	packs []*pack
	found bool // packs are known
	err   error
	left  int64 // bytes that may still be read
}

func newObjects(dir string, size int) *objects { return &objects{dir: dir, size: size, left: maxBytes} }

func (o *objects) close() {
	for _, p := range o.packs {
		p.index.Close()
		if p.data != nil {
			p.data.Close()
		}
	}
}

// read returns a commit or a tree.
func (o *objects) read(id string) (kind string, content []byte, err error) {
	if kind, content, err = o.loose(id); errors.Is(err, fs.ErrNotExist) {
		kind, content, err = o.packed(id, 0)
	}
	if err == nil && digest(o.size, kind, content) != id {
		err = fmt.Errorf("%w: object %x is damaged", errFormat, id)
	}
	return kind, content, err
}

// has reports whether there is such an object.
func (o *objects) has(id string) bool {
	if info, err := os.Lstat(o.file(id)); err == nil {
		return info.Mode().IsRegular() && info.Size() > 0
	}
	_, _, err := o.find(id)
	return err == nil
}

// file is where an object lies that is in no pack.
func (o *objects) file(id string) string {
	name := hex.EncodeToString([]byte(id))
	return filepath.Join(o.dir, name[:2], name[2:])
}

func (o *objects) loose(id string) (kind string, content []byte, err error) {
	f, _, err := safefile.Open(o.file(id))
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return "", nil, fmt.Errorf("gitobject: %w", err)
	}
	head, err := bufio.NewReader(io.LimitReader(z, 32)).ReadString(0)
	if err != nil {
		return "", nil, fmt.Errorf("gitobject: %w", err)
	}
	kind, length, _ := strings.Cut(strings.TrimSuffix(head, "\x00"), " ")
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil {
		return "", nil, errFormat
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return "", nil, fmt.Errorf("gitobject: %w", err)
	}
	content, err = o.inflate(f, int64(len(head))+size)
	if err != nil {
		return "", nil, err
	}
	return kind, content[len(head):], nil
}

// inflate unpacks as many bytes as there have to be.
func (o *objects) inflate(r io.Reader, size int64) ([]byte, error) {
	if size < 0 || size > maxObject || size > o.left {
		return nil, errLarge
	}
	o.left -= size
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("gitobject: %w", err)
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(z, content); err != nil {
		return nil, fmt.Errorf("gitobject: %w", err)
	}
	if n, _ := z.Read(make([]byte, 1)); n > 0 {
		return nil, errFormat
	}
	return content, nil
}

// A pack is a file of many objects, with another that says where each begins.
type pack struct {
	index, data *os.File
	path        string
	count       int64
	fanout      [256]uint32
}

// known reads which packs there are.
func (o *objects) known() ([]*pack, error) {
	if o.found {
		return o.packs, o.err
	}
	o.found = true
	if _, err := os.Lstat(filepath.Join(o.dir, "info", "alternates")); err == nil {
		o.err = fmt.Errorf("%w: it borrows objects", errFormat)
		return nil, o.err
	}
	dir, err := os.Open(filepath.Join(o.dir, "pack"))
	if err != nil {
		return nil, nil // all objects have files
	}
	defer dir.Close()
	names, err := dir.Readdirnames(8 * maxPacks)
	if len(names) == 8*maxPacks {
		err = errLarge
	} else if errors.Is(err, io.EOF) {
		err = nil
	}
	for _, name := range names {
		if base, ok := strings.CutSuffix(name, ".idx"); ok && err == nil {
			err = o.add(filepath.Join(o.dir, "pack", base))
		}
	}
	o.err = err
	return o.packs, o.err
}

// add opens the index of a pack.
func (o *objects) add(base string) error {
	if len(o.packs) == maxPacks {
		return errLarge
	}
	f, info, err := safefile.Open(base + ".idx")
	if err != nil {
		return fmt.Errorf("gitobject: %w", err)
	}
	p := &pack{index: f, path: base + ".pack"}
	o.packs = append(o.packs, p)
	var head [8 + 4*256]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return errFormat
	}
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
	}
	p.count = int64(p.fanout[255])
	if int64(len(head))+p.count*int64(o.size+8) > info.Size() {
		return errFormat
	}
	return nil
}

// find is the pack that has an object, and where it begins there.
func (o *objects) find(id string) (p *pack, at int64, err error) {
	packs, err := o.known()
	if err != nil {
		return nil, 0, err
	}
	for i, p := range packs {
		if at, err = p.find(id); !errors.Is(err, fs.ErrNotExist) {
			packs[0], packs[i] = packs[i], packs[0] // the next one is likely to be there too
			return p, at, err
		}
	}
	return nil, 0, errAbsent{}
}

// inMemory is how many names of an index are read at once.
const inMemory = 256

func (p *pack) find(id string) (at int64, err error) {
	const names = 8 + 4*256
	size := int64(len(id))
	low, high := int64(0), min(int64(p.fanout[id[0]]), p.count)
	if id[0] > 0 {
		low = int64(p.fanout[id[0]-1])
	}
	buf := make([]byte, inMemory*size)
	for low < high {
		first, last := low, high
		if high-low > inMemory {
			first = (low + high) / 2
			last = first + 1
		}
		read := buf[:(last-first)*size]
		if _, err := p.index.ReadAt(read, names+first*size); err != nil {
			return 0, fmt.Errorf("gitobject: %w", err)
		}
		i := int64(sort.Search(int(last-first), func(i int) bool { return string(read[int64(i)*size:int64(i+1)*size]) >= id }))
		switch {
		case i < last-first && string(read[i*size:(i+1)*size]) == id:
			return p.offset(first+i, names+p.count*(size+4))
		case last-first > 1 || high-low == 1:
			return 0, errAbsent{}
		case i == 0:
			high = first
		default:
			low = last
		}
	}
	return 0, errAbsent{}
}

// offset is where the object begins that is the ith of the index. The table of offsets
// begins at base; of what lies beyond 2 GB it has a place in a second table.
func (p *pack) offset(i, base int64) (int64, error) {
	var b [8]byte
	if _, err := p.index.ReadAt(b[:4], base+i*4); err != nil {
		return 0, fmt.Errorf("gitobject: %w", err)
	}
	at := int64(binary.BigEndian.Uint32(b[:4]))
	if at < 1<<31 {
		return at, nil
	}
	if _, err := p.index.ReadAt(b[:], base+p.count*4+(at-1<<31)*8); err != nil {
		return 0, fmt.Errorf("gitobject: %w", err)
	}
	if at = int64(binary.BigEndian.Uint64(b[:])); at < 0 {
		return 0, errFormat
	}
	return at, nil
}

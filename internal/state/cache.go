package state

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Defaults of [CacheOptions]: the configuration's cache.max_mb and cache.max_age_h.
const (
	DefaultCacheBytes = 64 << 20
	DefaultCacheAge   = 168 * time.Hour
)

// CacheOptions are the settings of a [Cache]. nil and zero values mean defaults.
type CacheOptions struct {
	// MaxBytes bounds the disk space of all entries; more than 65,536 of them
	// are not kept whatever it says. 0 means DefaultCacheBytes.
	MaxBytes int64
	// MaxAge is how long an entry is good, counted from Put. 0 means
	// DefaultCacheAge.
	MaxAge time.Duration
	// Key returns the user's secret. Entries are sealed with it, so that a process
	// that can write only to the cache's folder cannot add a judgement: the folder
	// may come from a backup or an image. It is called once, at the first use. Without a
	// secret nothing is kept. With nil there is only a checksum against damage.
	Key func() []byte

	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // gets the reason if an entry could not be kept; nil discards
}

// Cache keeps values by key, each in a file of its own, for all processes of the
// user. It may be used concurrently, by several versions of this program too.
//
// An entry counts as missing if it is damaged, too old, not sealed with the user's
// key, or in a file that another user could have written. A value that cannot be
// kept, as on a full disk, is lost without an error.
type Cache struct {
	dir    string
	asking *Locks
	shard  int64 // bytes that each sub-folder may take
	maxAge time.Duration
	key    func() []byte
	sealed bool // nothing is kept without a key
	now    func() time.Time
	logger *slog.Logger
}

// NewCache keeps entries below dir. Nothing is touched before the first Put.
func NewCache(dir string, opts *CacheOptions) *Cache {
	if opts == nil {
		opts = &CacheOptions{}
	}
	c := &Cache{dir: dir, asking: NewLocks(filepath.Join(dir, "asking")), shard: opts.MaxBytes, maxAge: opts.MaxAge, now: opts.Now, logger: opts.Logger, key: func() []byte { return nil }}
	if c.shard <= 0 {
		c.shard = DefaultCacheBytes
	}
	c.shard /= shards
	if c.maxAge <= 0 {
		c.maxAge = DefaultCacheAge
	}
	if opts.Key != nil {
		c.key, c.sealed = sync.OnceValue(opts.Key), true
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	return c
}

const (
	// shards is the number of sub-folders, one for each first digit of a name:
	// few enough that the smallest cache gives each of them some entries, and
	// each is swept by itself.
	shards = 16
	// shardFiles bounds the entries of one sub-folder, and so the time of a sweep.
	shardFiles = 4096
	// maxEntry bounds a value, as does a quarter of a sub-folder's space. A
	// judgement has about 200 bytes.
	maxEntry = 256 << 10
	// block is the unit in which file systems give out space.
	block = 4096
	// A temporary file of this age was left by a process that died.
	strayAge = time.Hour
)

// Get returns the value that was put under key.
func (c *Cache) Get(key string) (value []byte, ok bool) {
	id := digest.Sum(key)
	data, err := Read(c.path(id))
	if err != nil {
		return nil, false
	}
	value, created, ok := decodeEntry(data, c.key(), id)
	if !ok || c.keyless() || !fresh(c.now().Sub(created), c.maxAge) {
		return nil, false
	}
	return value, true
}

// Put keeps value under key, instead of what was there. It copies value.
func (c *Cache) Put(key string, value []byte) {
	if int64(len(value)) > min(maxEntry, c.shard/4) {
		c.logger.Debug("state: a value is too large for the cache", "bytes", len(value))
		return
	}
	if c.keyless() {
		return
	}
	id := digest.Sum(key)
	path := c.path(id)
	if err := Write(path, encodeEntry(value, c.key(), id, c.now())); err != nil {
		c.logger.Debug("state: the cache could not keep a value", "path", path, "error", err)
	}
	if c.isDue(id, len(value)) {
		c.sweep(filepath.Dir(path))
	}
}

// keyless reports whether entries have to be sealed and cannot be.
func (c *Cache) keyless() bool { return c.sealed && len(c.key()) == 0 }

// Wait returns when no other goroutine or process is computing the value of key, or
// when ctx ends. The caller calls leave when it is done itself; leave is never nil.
// waited is false if no other one was computing it. A process that was killed is not
// waited for.
func (c *Cache) Wait(ctx context.Context, key string) (leave func(), waited bool) {
	if leave, free := c.asking.Try(key); free {
		return leave, false
	}
	leave, _ = c.asking.Take(ctx, key) // after the end of ctx the caller computes the value too
	return leave, true
}

func (c *Cache) path(id [digest.Size]byte) string {
	name := hex.EncodeToString(id[:])
	return filepath.Join(c.dir, name[:1], name)
}

// isDue spreads the cost of sweeping. A sweep is due for so many of all entries
// that between two of them about a sixteenth of a sub-folder's space, or of its
// files, is filled. Chance decides, which is where the digest of the key comes in.
func (c *Cache) isDue(id [digest.Size]byte, size int) bool {
	every := min(c.shard/space(int64(size)), shardFiles) / 16
	return every <= 1 || binary.LittleEndian.Uint64(id[8:])%uint64(every) == 0
}

// space is what a file takes on the disk.
func space(size int64) int64 { return (size/block + 1) * block }

// sweep removes from a sub-folder what is too old, and when it is too full, the
// oldest down to three quarters. Other processes may do the same at once.
func (c *Cache) sweep(dir string) {
	files := list(dir, func(name string) bool {
		return isHex(name, 2*digest.Size) || strings.HasPrefix(name, safefile.TempPrefix)
	})
	now := c.now()
	var total, count int64
	for _, f := range files {
		total += space(f.size)
		count++
	}
	full := total > c.shard || count > shardFiles
	for _, f := range files {
		age := now.Sub(f.changed)
		stray := strings.HasPrefix(f.name, safefile.TempPrefix)
		surplus := full && !stray && (total > c.shard/4*3 || count > shardFiles/4*3)
		if !surplus && age < c.maxAge && !(stray && age >= strayAge) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.name)); err == nil || errors.Is(err, os.ErrNotExist) {
			total -= space(f.size)
			count--
		}
	}
}

// An entry's file holds the magic, the time of Put in milliseconds since 1970,
// the seal and the value. The seal is a keyed digest of everything else and of
// the file's name, so an entry that was copied to another name does not verify.
const (
	entryMagic = "SNC1"
	sealBytes  = 16
	entryHead  = len(entryMagic) + 8 + sealBytes
)

func encodeEntry(value, key []byte, id [digest.Size]byte, created time.Time) []byte {
	b := make([]byte, 0, entryHead+len(value))
	b = append(b, entryMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(created.UnixMilli()))
	b = append(b, seal(key, b, id, value)...)
	return append(b, value...)
}

func decodeEntry(data, key []byte, id [digest.Size]byte) (value []byte, created time.Time, ok bool) {
	if len(data) < entryHead || string(data[:len(entryMagic)]) != entryMagic {
		return nil, time.Time{}, false
	}
	head, value := data[:entryHead-sealBytes], data[entryHead:]
	if !hmac.Equal(data[entryHead-sealBytes:entryHead], seal(key, head, id, value)) {
		return nil, time.Time{}, false
	}
	return value, time.UnixMilli(int64(binary.LittleEndian.Uint64(head[len(entryMagic):]))), true
}

func seal(key, head []byte, id [digest.Size]byte, value []byte) []byte {
	return keyed(key, head, id[:], value)[:sealBytes]
}

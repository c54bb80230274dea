package repo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/text"
)

// MaxCommits is how many commits of a history are read, newest first. The figures
// of a longer one are not known.
const MaxCommits = 50_000

// Bounds of what is kept of a commit, in bytes.
const (
	maxMessage = 16 << 10
	maxAuthor  = 1 << 10
	maxToken   = 1 << 20 // a longer path or message ends the reading
)

// commit is one commit of the history. Everything in it was written by somebody.
type commit struct {
	hash    string
	parents int
	time    time.Time // of the author
	email   string
	name    string
	message string // as written, cut to maxMessage
}

// subject is the message's first line.
func (c *commit) subject() string {
	s, _, _ := strings.Cut(strings.TrimLeft(c.message, "\n"), "\n")
	return strings.TrimSpace(s)
}

// logFormat separates everything by NUL, which no commit contains: whatever a message says,
// it stays in its field.
const (
	logFormat = "--format=tformat:%H%x00%P%x00%at%x00%ae%x00%an%x00%B"
	logFields = 6
)

// eachCommit calls use for each commit that HEAD leads to, newest first. more says
// that there are more than MaxCommits.
func (r *Repository) eachCommit(ctx context.Context, use func(commit)) (more bool, err error) {
	ctx, cancel := within(ctx, r.options.LogTimeout)
	defer cancel()
	args := []string{"log", "-z", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8", "--max-count=" + strconv.Itoa(MaxCommits+1), logFormat, "HEAD", "--"}
	n := 0
	err = r.git.stream(ctx, args, func(_ io.WriteCloser, out io.Reader) error {
		return parseLog(out, func(c commit) {
			if n++; n <= MaxCommits {
				use(c)
			}
		})
	})
	return n > MaxCommits, timedOut(ctx, err)
}

// timedOut says that a step took too long where that is why it failed.
func timedOut(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return errTimeout
	}
	return err
}

// parseLog reads git log -z with logFormat.
func parseLog(out io.Reader, use func(commit)) error {
	tokens := newTokens(out)
	for {
		hash, err := tokens.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fields := [logFields]string{hash}
		for i := 1; i < logFields; i++ {
			if fields[i], err = tokens.next(); err != nil {
				return fmt.Errorf("git log: a commit that is not whole: %w", noEOF(err))
			}
		}
		if !isHash(hash) {
			return fmt.Errorf("git log: no commit: %s", text.Name(text.CutBytes(hash, 80)))
		}
		seconds, _ := strconv.ParseInt(fields[2], 10, 64) // 0 for an invalid date
		use(commit{
			hash: hash, parents: len(strings.Fields(fields[1])), time: date(seconds),
			email: kept(fields[3], maxAuthor), name: kept(fields[4], maxAuthor), message: kept(fields[5], maxMessage),
		})
	}
}

// kept is the first bytes of s, without the memory of the rest: a name can have a
// megabyte, and a history fifty thousand of them.
func kept(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.Clone(text.CutBytes(s, n))
}

// date is a commit's time, held between the years 1970 and 9999: a commit can claim
// any.
func date(seconds int64) time.Time { return time.Unix(min(max(seconds, 0), 253402300799), 0).UTC() }

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// tokens reads what ends with NUL.
type tokens struct{ scanner *bufio.Scanner }

func newTokens(r io.Reader) tokens {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxToken)
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	return tokens{s}
}

func (t tokens) next() (string, error) {
	if t.scanner.Scan() {
		return t.scanner.Text(), nil
	}
	if err := t.scanner.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// additions is how many lines a commit adds.
type additions struct {
	hash  string
	lines int
	blobs []blob // that it brings
}

// blob is the content of a file.
type blob struct {
	digest uint64
	lines  int // of a new file; 0 where one was changed
}

// additions returns what each commit of HEAD adds, merges left out, newest first.
// Lines of what is vendored, generated or binary are not counted, and neither are
// those of files that were too large to be fetched, of a file that was only moved, nor of
// one that an earlier commit has added under any name.
func (r *Repository) additions(ctx context.Context) ([]additions, error) {
	ctx, cancel := within(ctx, r.options.LogTimeout)
	defer cancel()
	all, err := numstat(ctx, r.git)
	var failed *gitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		// git gives up where an object is missing, as what was not fetched is.
		var stood *git
		if stood, err = standIns(ctx, r.git); err == nil {
			all, err = numstat(ctx, stood)
		}
	}
	withoutCopies(all)
	return all, timedOut(ctx, err)
}

// withoutCopies takes out the lines of new files that were there before: copies, and what
// comes back.
func withoutCopies(newestFirst []additions) {
	known := map[uint64]bool{}
	for i := len(newestFirst) - 1; i >= 0; i-- {
		a := &newestFirst[i]
		for _, b := range a.blobs {
			if known[b.digest] {
				a.lines -= b.lines
			}
			known[b.digest] = true
		}
		a.blobs = nil
	}
}

func numstat(ctx context.Context, g *git) (all []additions, err error) {
	args := []string{"log", "-z", "--raw", "--no-abbrev", "--numstat", "--no-merges", "--find-renames", "-l200", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-color",
		"--max-count=" + strconv.Itoa(MaxCommits), "--format=tformat:=%H", "HEAD", "--"}
	err = g.stream(ctx, args, func(_ io.WriteCloser, out io.Reader) error {
		return parseAdditions(out, func(a additions) { all = append(all, a) })
	})
	return all, err
}

// standIns puts an empty file in the place of each object that is missing, by refs
// of the clone alone, and returns a git that looks at those.
func standIns(ctx context.Context, g *git) (*git, error) {
	empty, err := g.run(ctx, "none", "hash-object", "-w", "--stdin")
	if err != nil {
		return nil, err
	}
	missing, err := g.run(ctx, "none", "rev-list", "--objects", "--missing=print", "--no-object-names", "HEAD")
	if err != nil {
		return nil, err
	}
	err = g.stream(ctx, []string{"update-ref", "--stdin"}, func(in io.WriteCloser, _ io.Reader) error {
		w := bufio.NewWriter(in)
		for line := range strings.Lines(string(missing)) {
			if hash, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok && isHash(hash) {
				fmt.Fprintf(w, "update refs/replace/%s %s\n", hash, bytes.TrimSpace(empty))
			}
		}
		return w.Flush()
	})
	stood := *g
	stood.replace = true
	return &stood, err
}

// parseAdditions reads git log -z --raw --numstat, where a commit begins with = and its
// hash. Its files come first as ":MODE MODE BLOB BLOB STATUS", PATH, and then as
// "ADDED\tDELETED\tPATH". One that was moved has two paths, which follow on their own:
// after its status, which begins with R, and after "ADDED\tDELETED\t".
func parseAdditions(out io.Reader, use func(additions)) error {
	tokens := newTokens(out)
	var current additions
	files := map[string]string{} // of the commit: status and blob, by path
	flush := func() {
		if current.hash != "" {
			use(current)
		}
	}
	for {
		token, err := tokens.next()
		if errors.Is(err, io.EOF) {
			flush()
			return nil
		}
		if err != nil {
			return err
		}
		token = strings.TrimLeft(token, "\n")
		if hash, ok := strings.CutPrefix(token, "="); ok && isHash(hash) {
			flush()
			current = additions{hash: hash}
			clear(files)
			continue
		}
		if token == "" {
			continue
		}
		if strings.HasPrefix(token, ":") {
			if err := rawFile(tokens, token, files); err != nil {
				return err
			}
			continue
		}
		lines, path, err := changedFile(tokens, token)
		if err != nil || current.hash == "" {
			return fmt.Errorf("git log --numstat: a line that is not understood: %s", text.Name(text.CutBytes(token, 100)))
		}
		if notOwn(path) {
			continue
		}
		current.lines += lines
		if status, hash, _ := strings.Cut(files[path], " "); hash != "" {
			b := blob{digest: maphash.String(digestSeed, hash)}
			if status == "A" {
				b.lines = lines
			}
			current.blobs = append(current.blobs, b)
		}
	}
}

// rawFile notes what became of a file.
func rawFile(tokens tokens, token string, files map[string]string) error {
	fields := strings.Fields(token)
	path, err := tokens.next()
	if err == nil && len(fields) == 5 && strings.HasPrefix(fields[4], "R") {
		path, err = tokens.next()
	}
	if err != nil || len(fields) != 5 {
		return fmt.Errorf("git log --raw: a line that is not understood: %s", text.Name(text.CutBytes(token, 100)))
	}
	files[path] = fields[4] + " " + fields[3]
	return nil
}

// changedFile returns the lines that a change adds to a file, 0 for a binary one, and its
// path: where it was moved, the new one.
func changedFile(tokens tokens, token string) (lines int, path string, err error) {
	number, rest, _ := strings.Cut(token, "\t")
	_, path, ok := strings.Cut(rest, "\t")
	if !ok {
		return 0, "", io.ErrUnexpectedEOF
	}
	if path == "" { // it was moved: the old path, then the new one
		if _, err = tokens.next(); err == nil {
			path, err = tokens.next()
		}
		if err != nil {
			return 0, "", noEOF(err)
		}
	}
	if number == "-" {
		return 0, path, nil
	}
	if lines, err = strconv.Atoi(number); err == nil && lines < 0 {
		err = strconv.ErrRange
	}
	return lines, path, err
}

package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// What holds where CloneOptions say nothing.
const (
	DefaultTimeout       = 120 * time.Second // of the clone
	DefaultLogTimeout    = 30 * time.Second  // of reading the history
	DefaultRemoteTimeout = 10 * time.Second  // of each short question to git
	DefaultMaxBytes      = 500 << 20         // of the clone on disk
	DefaultMaxFiles      = 50_000            // in the tree of the commit
	DefaultMaxBlob       = 1 << 20           // of a file that is read
)

// CloneOptions bound a clone. The zero value is what is wanted for strangers'
// repositories.
type CloneOptions struct {
	TempDir       string        // where the temporary folder is made; "" is the system's
	Timeout       time.Duration // of the clone; 0 means DefaultTimeout
	LogTimeout    time.Duration // of reading the history; 0 means DefaultLogTimeout
	RemoteTimeout time.Duration // of each short question to git; 0 means DefaultRemoteTimeout
	MaxBytes      int64         // of the clone on disk; 0 means DefaultMaxBytes
	MaxFiles      int           // in the tree; 0 means DefaultMaxFiles
	MaxBlob       int64         // bytes of a file; a larger one is not fetched and not read; 0 means DefaultMaxBlob
	AllowPrivate  bool          // takes hosts that are this machine or in a private network
	NoFsck        bool          // takes objects that git's fsck refuses, as old repositories have them
	Base          string        // of a local folder: not HEAD is taken, but where it left this revision; "" is HEAD
	CAFile        string        // PEM file of the authorities that the server's certificate is checked against; "" is the system's

	Progress func(step string) // told what begins; may be nil

	resolve lookup // nil is the system's
	depth   int    // 0 means shallowDepth
}

// complete returns a copy in which every limit is set.
func (o *CloneOptions) complete() CloneOptions {
	var c CloneOptions
	if o != nil {
		c = *o
	}
	c.Timeout = orElse(c.Timeout, DefaultTimeout)
	c.LogTimeout = orElse(c.LogTimeout, DefaultLogTimeout)
	c.RemoteTimeout = orElse(c.RemoteTimeout, DefaultRemoteTimeout)
	c.MaxBytes = orElse(c.MaxBytes, DefaultMaxBytes)
	c.MaxFiles = orElse(c.MaxFiles, DefaultMaxFiles)
	c.MaxBlob = orElse(c.MaxBlob, DefaultMaxBlob)
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	c.depth = orElse(c.depth, shallowDepth)
	if c.resolve == nil {
		c.resolve = systemLookup
	}
	return c
}

func orElse[T int | int64 | time.Duration](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}

// Reason says in one word why a repository could not be cloned.
type Reason string

// The reasons.
const (
	ReasonAddress   Reason = "address"   // the address has a form that is not accepted
	ReasonHost      Reason = "host"      // no such host, or one in a private network
	ReasonGit       Reason = "git"       // no git, or one that is too old
	ReasonNotFound  Reason = "not_found" // no such repository, or one that asks who is there
	ReasonRedirect  Reason = "redirect"  // the server sends elsewhere
	ReasonTimeout   Reason = "timeout"   // it took too long
	ReasonSize      Reason = "size"      // too many bytes or files
	ReasonMalformed Reason = "malformed" // objects that git's fsck refuses
	ReasonBranch    Reason = "branch"    // it has branches, but its HEAD names none of them
	ReasonOwner     Reason = "owner"     // a local folder that belongs to somebody else
	ReasonRemote    Reason = "remote"    // what was cloned is not what was asked for
	ReasonBase      Reason = "base"      // CloneOptions.Base cannot be compared with
	ReasonCancelled Reason = "cancelled" // the context ended
	ReasonFailed    Reason = "failed"    // it failed in another way
)

// CloneError says why a repository could not be cloned. Its text holds no
// credentials, and no control characters from elsewhere.
type CloneError struct {
	Target string // as given, without credentials
	Reason Reason
	Hint   string // what to do; "" when nothing helps
	Err    error
}

// Error names the target, what went wrong, and what to do where something helps.
func (e *CloneError) Error() string {
	what := "clone "
	if e.Reason == ReasonBase {
		what = "compare "
	}
	s := "repo: cannot " + what + e.Target + ": " + e.Err.Error()
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns Err.
func (e *CloneError) Unwrap() error { return e.Err }

// Clone clones what target names: an https URL, or a local folder, which is cloned
// too and never worked on in place. The error is a *[CloneError]; the temporary
// folder is gone then. Otherwise the caller closes the repository.
//
// It returns when ctx ends, and git has ended with all that it started. A program
// that is killed by a signal has to end ctx for that, or its folder stays.
func Clone(ctx context.Context, target string, o *CloneOptions) (r *Repository, err error) {
	c := &cloning{ctx: ctx, target: redact(target), options: o.complete()}
	defer func() {
		if r == nil { // also when Progress panics
			c.remove()
		}
	}()
	if r, err = c.clone(target); err != nil {
		return nil, c.explain(err)
	}
	return r, nil
}

// CheckTarget says what is wrong with what a person names a repository by: nothing is
// there, or the address is invalid. Nothing is contacted. The error is a *[CloneError].
func CheckTarget(target string) error {
	if _, err := parseAddress(target); err != nil {
		return &CloneError{Target: redact(target), Reason: ReasonAddress, Hint: hintOf(err), Err: err}
	}
	return nil
}

// cloning is one clone on its way.
type cloning struct {
	ctx     context.Context
	target  string // printable
	options CloneOptions
	address address
	folder  string // the temporary folder
	git     *git
	shallow bool // the history is cut
}

func (c *cloning) remove() {
	if c.folder != "" {
		_ = os.RemoveAll(c.folder)
	}
}

func (c *cloning) clone(target string) (*Repository, error) {
	a, err := parseAddress(target)
	if err != nil {
		return nil, &CloneError{Reason: ReasonAddress, Hint: hintOf(err), Err: err}
	}
	c.address = a
	if a.url != nil && c.options.Base != "" {
		return nil, &CloneError{Reason: ReasonBase, Hint: "clone it, and give the folder", Err: errors.New("only a local folder is compared with an earlier revision")}
	}
	if err := a.checkFolder(); err != nil {
		return nil, err
	}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	if err := c.fetch(); err != nil {
		return nil, err
	}
	if err := c.base(); err != nil {
		return nil, err
	}
	c.options.Progress("reading the tree")
	if err := c.verify(); err != nil {
		return nil, err
	}
	return c.open()
}

// prepare makes the folder and finds git.
func (c *cloning) prepare() (err error) {
	if c.folder, err = os.MkdirTemp(c.options.TempDir, "sentinel-audit-"); err != nil { // 0700
		return err
	}
	home := filepath.Join(c.folder, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, configFile), []byte(configText), 0o600); err != nil {
		return err
	}
	ctx, cancel := within(c.ctx, c.options.RemoteTimeout)
	defer cancel()
	if c.git, err = findGit(ctx, home); err != nil && c.ctx.Err() == nil {
		return &CloneError{Reason: ReasonGit, Hint: "install git 2.45.1 or later", Err: err}
	}
	return err
}

// shallowDepth is how many commits are taken of a history that is too large.
const shallowDepth = 2000

// fetch runs git clone. Servers that keep repositories below names with .git only
// send others on; that is not followed, but tried by ourselves. Of what is too
// large the latest commits are tried.
func (c *cloning) fetch() error {
	ctx, cancel := within(c.ctx, c.options.Timeout)
	defer cancel()
	err := c.attempt(ctx)
	var failed *CloneError
	if !errors.As(err, &failed) {
		return err
	}
	switch with, ok := c.address.withSuffix(); {
	case failed.Reason == ReasonRedirect && ok:
		c.address = with
	case failed.Reason == ReasonSize:
		c.shallow = true
	default:
		return err
	}
	if again := c.attempt(ctx); again != nil {
		return err
	}
	return nil
}

func (c *cloning) attempt(ctx context.Context) error {
	c.options.Progress("cloning")
	protocol, settings, err := c.remote(ctx)
	if err != nil {
		return err
	}
	dir := c.dir()
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	ctx, stop := watchSize(ctx, dir, c.options.MaxBytes)
	defer stop()
	_, err = c.git.run(ctx, protocol, append(settings, c.arguments()...)...)
	if err == nil {
		err = checkSize(dir, c.options.MaxBytes)
	}
	if err != nil {
		return c.adapted(classify(ctx, err))
	}
	c.git.dir = dir
	return nil
}

// adapted gives the hints of a folder where that is what was cloned.
func (c *cloning) adapted(err error) error {
	var failed *CloneError
	if c.address.folder != "" && errors.As(err, &failed) && failed.Reason == ReasonNotFound {
		failed.Hint = "see what git says there"
	}
	return err
}

// remote says how the other side is spoken to: the protocol, and settings for git.
func (c *cloning) remote(ctx context.Context) (protocol string, settings []string, err error) {
	if c.address.url == nil {
		return "file", []string{"-c", "protocol.file.allow=always"}, nil
	}
	settings = []string{"-c", "protocol.https.allow=always", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"}
	pinned, err := pin(ctx, c.address.url, c.options.resolve, c.options.AllowPrivate)
	if err != nil {
		return "", nil, c.noHost(ctx, err)
	}
	if pinned != "" {
		settings = append(settings, "-c", "http.curloptResolve="+pinned)
	}
	if c.options.CAFile != "" {
		settings = append(settings, "-c", "http.sslCAInfo="+c.options.CAFile)
	}
	return schemeHTTPS, settings, nil
}

func (c *cloning) dir() string { return filepath.Join(c.folder, "repo.git") }

// arguments are those of git clone. The target comes after --, so that it is never an
// option.
func (c *cloning) arguments() []string {
	args := []string{
		"-c", c.checked(), "clone", "--bare", "--template=", "--no-recurse-submodules", "--single-branch", "--no-tags", "--quiet",
		"--filter=blob:limit=" + strconv.FormatInt(c.options.MaxBlob+1, 10), // git leaves out what is as large as the limit
	}
	if c.address.url == nil {
		args = append(args, "--no-local")
	}
	if c.shallow {
		args = append(args, "--depth="+strconv.Itoa(c.options.depth))
	}
	return append(args, "--", c.address.String(), c.dir())
}

// checked is the setting that makes git refuse malformed objects.
func (c *cloning) checked() string {
	return "transfer.fsckObjects=" + strconv.FormatBool(!c.options.NoFsck)
}

func (c *cloning) noHost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return classify(ctx, err)
	}
	hint := "check the address"
	if strings.Contains(err.Error(), "private network") {
		hint = "allow private hosts (--allow-private) if it is one of yours"
	}
	return &CloneError{Reason: ReasonHost, Hint: hint, Err: err}
}

// classify says why git clone failed.
func classify(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errSize):
		return &CloneError{Reason: ReasonSize, Hint: "raise the limit if it is meant", Err: cause}
	case errors.Is(cause, errTimeout):
		return &CloneError{Reason: ReasonTimeout, Hint: "try again, or raise the limit", Err: cause}
	case cause != nil:
		return err
	case errors.Is(err, errSize):
		return &CloneError{Reason: ReasonSize, Hint: "raise the limit if it is meant", Err: err}
	}
	var failed *gitError
	if !errors.As(err, &failed) {
		return err
	}
	return failed.classify()
}

// classify tells the ways apart in which git clone fails, by what it says in the C
// locale.
func (e *gitError) classify() *CloneError {
	says := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(e.stderr, []byte(text)) })
	}
	switch {
	case says("fsck error", "error in object", "badDate", "nullSha1"):
		return &CloneError{Reason: ReasonMalformed, Hint: "an old repository that you know can be taken with --no-fsck", Err: e}
	case says("returned error: 301", "returned error: 302", "returned error: 303", "returned error: 307", "returned error: 308", "unable to update url base"):
		return &CloneError{Reason: ReasonRedirect, Hint: "give the address that it leads to", Err: e}
	case says("dubious ownership"):
		return &CloneError{Reason: ReasonOwner, Hint: "run this as the folder's owner, or copy the folder", Err: errOwner}
	case says("not found", "could not read Username", "Authentication failed", "does not exist", "error: 403", "error: 404", "does not appear to be a git repository"):
		return &CloneError{Reason: ReasonNotFound, Hint: "no credentials are sent: a private repository is cloned by hand, and its folder given", Err: e}
	}
	return &CloneError{Reason: ReasonFailed, Err: e}
}

var errOwner = errors.New("it belongs to somebody else")

// verify compares the clone's remote with what was asked for, and then takes the
// remote out: nothing can be fetched any more, not even what was left out.
func (c *cloning) verify() error {
	out, err := c.short("remote", "get-url", "origin")
	if err != nil {
		return err
	}
	if remote := strings.TrimSuffix(string(out), "\n"); !sameAddress(remote, c.address) {
		return &CloneError{Reason: ReasonRemote, Err: fmt.Errorf("its remote is %s", redact(remote))}
	}
	_, err = c.short("config", "--remove-section", "remote.origin")
	return err
}

// short asks git one short question.
func (c *cloning) short(args ...string) ([]byte, error) {
	ctx, cancel := within(c.ctx, c.options.RemoteTimeout)
	defer cancel()
	out, err := c.git.run(ctx, "none", args...)
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return nil, &CloneError{Reason: ReasonTimeout, Err: fmt.Errorf("git %s: %w", args[0], errTimeout)}
	}
	return out, err
}

// open reads what was cloned: its commit and its tree.
func (c *cloning) open() (*Repository, error) {
	r := &Repository{git: c.git, folder: c.folder, options: c.options, shallow: c.shallow || c.isShallow()}
	r.subject = audit.Subject{Name: text.Name(c.address.name)}
	if c.address.url != nil {
		r.subject.URL = c.address.url.String()
	} else {
		r.subject.Local = c.address.folder
	}
	if branch, err := c.short("symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		r.subject.Branch = strings.TrimSuffix(string(branch), "\n")
	} else if c.ctx.Err() != nil {
		return nil, err
	}
	commit, err := c.short("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	var failed *gitError
	switch {
	case errors.As(err, &failed):
		if err := c.checkEmpty(); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		r.subject.Commit = strings.TrimSpace(string(commit))
		if err := c.readTree(r); err != nil {
			return nil, err
		}
	}
	r.subject.Languages = r.languages()
	r.start()
	if c.address.folder != "" && c.options.Base == "" {
		r.subject.Dirty, r.dirtyErr = c.dirty(r)
	}
	return r, nil
}

// isShallow reports whether the other side had no more than a part of the history,
// as the clones of build machines have.
func (c *cloning) isShallow() bool {
	info, err := os.Stat(filepath.Join(c.dir(), "shallow"))
	return err == nil && info.Size() > 0
}

// checkEmpty tells an empty repository from one whose HEAD names no branch.
func (c *cloning) checkEmpty() error {
	ctx, cancel := within(c.ctx, c.options.RemoteTimeout)
	defer cancel()
	protocol, settings, err := c.remote(ctx)
	if err != nil {
		return err
	}
	refs, spoken, err := c.git.listRemote(ctx, protocol, append(settings, "ls-remote", "--heads", "--", c.address.String()))
	if err != nil {
		return classify(ctx, err)
	}
	if !spoken {
		return &CloneError{Reason: ReasonNotFound, Hint: hintHTTPS, Err: errors.New("what answers there does not speak git's protocol")}
	}
	if len(bytes.TrimSpace(refs)) > 0 {
		return &CloneError{Reason: ReasonBranch, Hint: "set the remote's default branch", Err: errors.New("its HEAD names a branch that does not exist")}
	}
	return nil
}

// explain makes the error that Clone returns.
func (c *cloning) explain(err error) error {
	var e *CloneError
	switch {
	case c.ctx.Err() != nil:
		e = &CloneError{Reason: ReasonCancelled, Err: context.Cause(c.ctx)}
		if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
			e.Reason = ReasonTimeout
		}
	case !errors.As(err, &e):
		e = &CloneError{Reason: ReasonFailed, Err: err}
	}
	e.Target = c.target
	return e
}

package scribe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
)

// NoticeOptions are the settings of [Notice]. nil means a week, and every time.
type NoticeOptions struct {
	// MaxAge is how old a draft may be to be announced, counted from when its
	// convention was first seen. 0 means 7 days, a negative one none.
	MaxAge time.Duration
	// StateDir is the user's state folder, which records the sessions that got the
	// notice. "" records nothing.
	StateDir string
	// Program is what the user types to see the drafts. "" means sentinel.
	Program string
	Now     func() time.Time // nil means time.Now
}

// defaultMaxAge is notification.max_age_days of the original Python Sentinel.
const defaultMaxAge = 7 * 24 * time.Hour

// Notice is a line for a session about the drafts in dir, a folder …/.claude/sentinel.
// It is "" if no draft is young enough, or if the session got it before. It has no text
// of a draft.
func Notice(dir, session string, opts *NoticeOptions) string {
	var o NoticeOptions
	if opts != nil {
		o = *opts
	}
	if o.MaxAge < 0 {
		return ""
	}
	orDefault(&o.MaxAge, defaultMaxAge)
	if o.Now == nil {
		o.Now = time.Now
	}
	drafts := filepath.Join(dir, "drafts")
	if _, err := os.Lstat(drafts); err != nil || contained(drafts, dir) != nil {
		return ""
	}
	young := 0
	for _, seen := range draftTimes(drafts) {
		if o.Now().Sub(seen) <= o.MaxAge {
			young++
		}
	}
	if young == 0 {
		return ""
	}
	if o.StateDir != "" && state.NewGiven(filepath.Join(o.StateDir, "announced"), o.Now).Repeated(session, "scribe:drafts", dir, 0) {
		return ""
	}
	shows := text.Command(o.Program, "drafts")
	if young == 1 {
		return "1 draft rule is waiting for the user's review: `" + shows + "` shows it."
	}
	return fmt.Sprintf("%d draft rules are waiting for the user's review: `%s` shows them.", young, shows)
}

// maxAnnounced bounds the drafts that are read when a session starts.
const maxAnnounced = 100

// draftTimes are the times when the conventions of drafts were first seen. It reads one
// line of each, because a YAML parser would delay the start of a session.
func draftTimes(dir string) []time.Time {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []time.Time
	looked := 0
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), draftSuffix)
		if !ok || !validID(id) {
			continue
		}
		if looked++; looked > maxAnnounced {
			break
		}
		draft, err := readRegular(filepath.Join(dir, e.Name()), maxDraft)
		if err != nil {
			continue
		}
		_, provenance, _ := bytes.Cut(draft, []byte("\n_draft:"))
		_, first, found := bytes.Cut(provenance, []byte("\n  first_seen: "))
		first, _, _ = bytes.Cut(first, []byte("\n"))
		if seen, err := time.Parse(time.RFC3339Nano, strings.Trim(string(bytes.TrimSpace(first)), `"'`)); found && err == nil {
			all = append(all, seen)
		}
	}
	return all
}

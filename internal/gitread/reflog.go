package gitread

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxReflog bounds git's record of what was done in a work tree, in bytes.
const maxReflog = 16 << 20

// reflog is git's record of what HEAD was in a work tree, the oldest first. git only adds to it, unless it is told
// to forget.
func reflog(git string) (string, error) {
	data, err := safefile.Read(filepath.Join(git, "logs", "HEAD"), maxReflog)
	return string(data), err
}

// Mark returns the length and the digest of git's reflog of a work tree, or "" if there is none. git is the folder
// with the index of that work tree. With the mark, [facts.Tree] finds later which commits were checked out before.
func Mark(git string) string {
	record, err := reflog(git)
	if err != nil || record == "" {
		return ""
	}
	return fmt.Sprintf("%d %s", len(record), digest.Hex(record))
}

// maxSeen bounds the commits that were checked out, the last first.
const maxSeen = 500

// seenAt are the commits that were checked out in the work tree when a mark was made; none where the record does not
// begin with what it was then.
func (t *tree) seenAt(mark string) map[string]bool {
	size, sum, _ := strings.Cut(mark, " ")
	n, err := strconv.Atoi(size)
	if err != nil || n <= 0 {
		return nil
	}
	record, err := reflog(t.git)
	if err != nil || n > len(record) || digest.Hex(record[:n]) != sum {
		return nil
	}
	seen := map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(record[:n], "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-maxSeen):] {
		if fields := strings.Fields(line); len(fields) > 1 {
			if _, err := hex.DecodeString(fields[1]); err == nil {
				seen[fields[1]] = true
			}
		}
	}
	return seen
}

// checkedOut returns those of names that a commit behind HEAD has which was checked out when a mark was made: of
// several the newest one.
func (t *tree) checkedOut(mark string, names []string) ([]string, error) {
	seen := t.seenAt(mark)
	if len(seen) == 0 || len(names) == 0 {
		return nil, nil
	}
	out, err := t.reader.Ask(t.ctx, t.base, "rev-list", "--max-count="+strconv.Itoa(maxCommits), "HEAD", "--")
	if err != nil {
		return nil, unborn(err)
	}
	for commit := range strings.FieldsSeq(string(out)) {
		if seen[commit] {
			return t.in(commit, names)
		}
	}
	return nil, nil
}

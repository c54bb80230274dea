// Package release finds out which release of Sentinel is the newest, and with which command
// the running one was installed. It loads and changes nothing.
package release

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Server is where the newest release is told, in the form of GitHub's API.
const Server = "https://api.github.com/repos/agentsentinel/sentinel/releases/latest"

const (
	maxAnswer = 1 << 20 // bytes
	patience  = 10 * time.Second
	maxHops   = 5
)

// A Version is that of a release.
type Version struct {
	text  string
	parts [3]int
	pre   string // "" for a release that is final
}

// String is the version with its v.
func (v Version) String() string { return v.text }

// form is that of a version.
const form = `^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,80}))?(?:\+[0-9A-Za-z.-]{1,80})?$`

// Parse reads a version such as v1.2.3, v1.2.3-rc.1 or 1.2.3.
func Parse(s string) (v Version, ok bool) {
	m := regexp.MustCompile(form).FindStringSubmatch(s)
	if m == nil {
		return v, false
	}
	for i := range v.parts {
		v.parts[i], _ = strconv.Atoi(m[i+1]) // nine digits at most
	}
	v.text, v.pre = "v"+strings.TrimPrefix(s, "v"), m[4]
	return v, true
}

// Before reports whether another version is newer. A version that leads to a release comes
// before that release.
func (v Version) Before(o Version) bool {
	for i := range v.parts {
		if c := cmp.Compare(v.parts[i], o.parts[i]); c != 0 {
			return c < 0
		}
	}
	if v.pre == "" || o.pre == "" {
		return v.pre != "" && o.pre == ""
	}
	return beforePre(strings.Split(v.pre, "."), strings.Split(o.pre, "."))
}

// beforePre compares the parts behind the hyphen, as semantic versions want it.
func beforePre(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		x, errA := strconv.Atoi(a[i])
		y, errB := strconv.Atoi(b[i])
		switch {
		case a[i] == b[i]:
		case errA == nil && errB == nil:
			return x < y
		case (errA == nil) != (errB == nil):
			return errA == nil // a number comes first
		default:
			return a[i] < b[i]
		}
	}
	return len(a) < len(b)
}

// Newest asks a server for the newest release, for ten seconds at most, over the proxy that
// the environment names. The address has https, or is of this machine.
func Newest(ctx context.Context, address string) (Version, error) {
	at, err := url.Parse(address)
	if err != nil || !allowed(at) {
		return Version{}, fmt.Errorf("%q is no address of https, nor one of this machine", text.OneLine(address))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Version{}, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "sentinel") // GitHub refuses a request without one
	client := &http.Client{CheckRedirect: follow}
	resp, err := client.Do(req)
	if err != nil {
		return Version{}, unreached(err, at)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Version{}, fmt.Errorf("%s answers %d%s", at.Host, resp.StatusCode, meaning(resp.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return Version{}, unreached(err, at)
	}
	var answer struct {
		Tag string `json:"tag_name"`
	}
	if len(body) > maxAnswer || json.Unmarshal(body, &answer) != nil || answer.Tag == "" {
		return Version{}, fmt.Errorf("%s does not answer as a release server does: no JSON with a `tag_name` within %d bytes", at.Host, maxAnswer)
	}
	v, ok := Parse(answer.Tag)
	if !ok {
		return Version{}, fmt.Errorf("%s names a release whose version is none: %q", at.Host, text.Cut(text.OneLine(answer.Tag), 80))
	}
	return v, nil
}

// follow lets a redirect lead to addresses alone that could have been named.
func follow(req *http.Request, via []*http.Request) error {
	if len(via) > maxHops || !allowed(req.URL) || via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("a redirect to %s is not followed", text.OneLine(req.URL.Redacted()))
	}
	return nil
}

// allowed reports whether a server may be asked.
func allowed(at *url.URL) bool {
	return at.Host != "" && (at.Scheme == "https" || at.Scheme == "http" && judge.Loopback(at.Hostname()))
}

// unreached says why there was no answer, without the address twice.
func unreached(err error, at *url.URL) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", patience)
	}
	return fmt.Errorf("%s cannot be asked: %s", at.Host, text.OneLine(err.Error()))
}

func meaning(status int) string {
	switch status {
	case http.StatusNotFound:
		return ": there is no release"
	case http.StatusForbidden, http.StatusTooManyRequests:
		return ": it was asked too often; try again in an hour"
	case http.StatusProxyAuthRequired:
		return ": the proxy wants a login"
	}
	return ""
}

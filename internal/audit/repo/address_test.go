package repo

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://example.com/o/r":          "https://example.com/o/r",
		"https://example.com/o/r/":         "https://example.com/o/r",
		"https://example.com/o/r.git":      "https://example.com/o/r.git",
		"https://example.com/o/r.git/":     "https://example.com/o/r.git",
		"HTTPS://Example.COM./o/R":         "https://example.com/o/R",
		"https://example.com:443/o/r":      "https://example.com/o/r",
		"https://example.com:8443/r":       "https://example.com:8443/r",
		"https://example.com/a/b/c/d":      "https://example.com/a/b/c/d",
		"https://[2606:4700::1111]/o/r":    "https://[2606:4700::1111]/o/r",
		"https://[2606:4700::1111]:8/o/r/": "https://[2606:4700::1111]:8/o/r",
		"https://example.com/-o/r":         "https://example.com/-o/r",
		"https://example.com/o/r%20x":      "https://example.com/o/r%20x",
	} {
		a, err := parseAddress(given)
		require.NoError(t, err, given)
		require.Equal(t, want, a.String(), given)
		require.True(t, sameAddress(want, a) && sameAddress(want+"/", a), given)
		require.False(t, sameAddress(want+"x", a), given)
	}
	a, err := parseAddress("https://example.com/o/r")
	require.NoError(t, err)
	require.True(t, sameAddress("https://example.com/o/r.git", a))
	require.False(t, sameAddress("https://example.org/o/r", a))
	require.False(t, sameAddress("ext::sh -c x", a))
}

func TestAddressRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for given, why := range map[string]string{
		"":                                 "no repository",
		"-":                                "begins with -",
		"--upload-pack=touch x":            "begins with -",
		"ext::sh -c 'touch x'":             "transport ext",
		"fd::17":                           "transport fd",
		"https::https://example.com/o/r":   "transport https",
		"file:///etc":                      `scheme "file"`,
		"http://example.com/o/r":           `scheme "http"`,
		"ssh://git@example.com/o/r":        `scheme "ssh"`,
		"git://example.com/o/r":            `scheme "git"`,
		"ftp://example.com/o/r":            `scheme "ftp"`,
		"git@example.com:o/r.git":          "ssh",
		"example.com:o/r":                  "ssh",
		"https://user@example.com/o/r":     "user name",
		"https://user:pw@example.com/o/r":  "user name",
		"https://:pw@example.com/o/r":      "user name",
		"https://example.com/o/r?x=1":      "query",
		"https://example.com/o/r?":         "query",
		"https://example.com/o/r#x":        "query",
		"https://example.com":              "no path",
		"https://example.com/":             "no path",
		"https://example.com/../..":        "no path",
		"https://example.com/o/../r":       "no path",
		"https://example.com/o//r":         "no path",
		"https://example.com/o/%2e%2e/r":   "no path",
		"https://example.com/o/r%0a":       "no path",
		"https:///o/r":                     "no host",
		"https://-x.example/o/r":           "no host",
		"https://127.1/o/r":                "no host",
		"https://2130706433/o/r":           "no host",
		"https://0x7f000001/o/r":           "no host",
		"https://exämple.com/o/r":          "no host",
		"https://[fe80::1%25eth0]/o/r":     "no host",
		"https://exa$mple.com/o/r":         "no host",
		"https://example.com/o/r\n":        "control characters",
		"https://exa\x1b[31mmple.com/o/r":  "control characters",
		"https://example.com/\xff":         "control characters",
		"https://example.com:port/o/r":     "not a URL",
		filepath.Join(t.TempDir(), "none"): "no such folder",
		file:                               "is a file",
		t.TempDir():                        "no git repository",
	} {
		_, err := parseAddress(given)
		require.Error(t, err, "%q", given)
		require.ErrorContains(t, err, why, "%q", given)
		var r *refused
		require.ErrorAs(t, err, &r)
		_, err = Clone(t.Context(), given, nil)
		var failed *CloneError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, ReasonAddress, failed.Reason, "%q", given)
		require.NotContains(t, err.Error(), "pw")
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), "\x1b")
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://user:secret@example.com/o/r":       "https://example.com/o/r",
		"https://a@b:secret@example.com/o/r?t=s#s":  "https://example.com/o/r",
		"ssh://git:secret@example.com/o/r":          "ssh://example.com/o/r",
		"https://example.com/a@b":                   "https://example.com/a@b",
		"https://example.com:8443/@scope/b":         "https://example.com:8443/@scope/b",
		"https://user:pa/secret@example.com/o/r":    "https://example.com/o/r",
		"https://user:secret/p@x@example.com/o/r":   "https://example.com/o/r",
		"https://user:se?cr#et@example.com/o/r":     "https://example.com/o/r",
		"https://ghp_secret@example.com/o/r":        "https://example.com/o/r",
		"user:secret@example.com:o/r":               "example.com:o/r",
		"user:secret@example.com/o/r":               "example.com/o/r",
		"git@example.com:o/r":                       "example.com:o/r",
		"folder/a@b":                                "folder/a@b",
		"a@b":                                       "a@b",
		"https://example.com/\x1b[31m\u202e/secret": `https://example.com/\u001b[31m\u202e/secret`,
	} {
		require.Equal(t, want, redact(given))
	}
	for given, want := range map[string]string{
		"git@example.com:o/r":         "give https://example.com/o/r",
		"git@example.com:/o/r":        "give https://example.com/o/r",
		"user:secret@example.com:o/r": "give https://example.com/o/r",
	} {
		require.Equal(t, want, sshHint(given))
	}
}

func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"192.0.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "::7f00:1",
	} {
		require.True(t, private(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "140.82.121.3", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"} {
		require.False(t, private(netip.MustParseAddr(a)), a)
	}
}

func TestPin(t *testing.T) {
	t.Parallel()
	resolve := func(addrs ...string) lookup {
		return func(context.Context, string) ([]netip.Addr, error) {
			var list []netip.Addr
			for _, a := range addrs {
				list = append(list, netip.MustParseAddr(a))
			}
			return list, nil
		}
	}
	at := func(s string) *url.URL {
		u, err := url.Parse(s)
		require.NoError(t, err)
		return u
	}
	got, err := pin(t.Context(), at("https://example.com/x"), resolve("8.8.8.8", "2606:4700::1111", "8.8.8.8"), false)
	require.NoError(t, err)
	require.Equal(t, "example.com:443:8.8.8.8,[2606:4700::1111]", got)
	got, err = pin(t.Context(), at("https://example.com:8443/x"), resolve("::ffff:8.8.8.8"), false)
	require.NoError(t, err)
	require.Equal(t, "example.com:8443:8.8.8.8", got)
	got, err = pin(t.Context(), at("https://1.1.1.1/x"), nil, false)
	require.NoError(t, err)
	require.Empty(t, got)

	for _, addrs := range [][]string{{"127.0.0.1"}, {"8.8.8.8", "10.0.0.1"}, {"::ffff:10.0.0.1"}, {"fe80::1%eth0"}} {
		_, err = pin(t.Context(), at("https://example.com/x"), resolve(addrs...), false)
		require.ErrorContains(t, err, "private network", "%v", addrs)
	}
	_, err = pin(t.Context(), at("https://[::1]/x"), nil, false)
	require.ErrorContains(t, err, "private network")
	_, err = pin(t.Context(), at("https://example.com/x"), resolve(), false)
	require.ErrorContains(t, err, "no address")
	nowhere := func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	_, err = pin(t.Context(), at("https://example.com/x"), nowhere, false)
	require.ErrorContains(t, err, "not found")
	got, err = pin(t.Context(), at("https://example.com/x"), resolve("127.0.0.1"), true)
	require.NoError(t, err)
	require.Equal(t, "example.com:443:127.0.0.1", got)
}

func TestGitVersions(t *testing.T) {
	t.Parallel()
	for said, old := range map[string]bool{
		"git version 2.39.5\n": false, "git version 2.39.4": false, "git version 2.39.3": true, "git version 2.40.1": true, "git version 2.45.0": true,
		"git version 2.45.1.windows.1": false, "git version 2.44.1 (Apple Git-154)": false, "git version 2.46.0": false, "git version 2.50.0-rc1": false,
		"git version 3.0.0": false, "git version 1.9.9": true, "git version 2.47": false,
	} {
		v, ok := parseVersion(said)
		require.True(t, ok, said)
		require.Equal(t, old, tooOld(v), said)
	}
	for _, said := range []string{"", "hg version 2", "git version x", "git version 2"} {
		_, ok := parseVersion(said)
		require.False(t, ok, said)
	}
}

func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://example.com/o/r", "ext::sh", "git@h:p", "https://u:p@h/x", "-x", "file:///", "https://[::1]:1/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		a, err := parseURL(target)
		if err != nil {
			return
		}
		again, err := parseURL(a.String())
		require.NoError(t, err, "%q", a.String())
		require.Equal(t, a.String(), again.String())
		require.Equal(t, "https", a.url.Scheme)
		require.Nil(t, a.url.User)
		require.NotContains(t, a.String(), "\n")
	})
}

package release_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/release"
)

// The versions are in the order of semantic versions.
func TestBefore(t *testing.T) {
	t.Parallel()
	order := strings.Fields("v0.0.0-20260101000000-0123456789ab v0.9.0 v1.0.0-alpha v1.0.0-alpha.1 v1.0.0-alpha.beta v1.0.0-beta.2 v1.0.0-beta.11 v1.0.0-rc.1 v1.0.0 v1.0.1 v1.2.0 1.10.0 v2.0.0")
	for i, a := range order {
		for j, b := range order {
			x, ok := release.Parse(a)
			require.True(t, ok, a)
			y, ok := release.Parse(b)
			require.True(t, ok, b)
			require.Equal(t, i < j, x.Before(y), "%s before %s", a, b)
		}
	}
	for _, s := range []string{"", "(devel)", "v1.2", "v1.2.3.4", "v1.2.x", "vv1.2.3", "v1.2.3\n", "v1.2.3-\x1b[31m", "v9999999999.0.0", "v1.2.3 ", "v1.2.3-" + strings.Repeat("a", 81)} {
		_, ok := release.Parse(s)
		require.False(t, ok, "%q", s)
	}
}

func TestNewest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		want   string // a version, or a part of the error
	}{
		"a release":          {200, `{"tag_name": "v1.2.3", "assets": [{}]}`, "v1.2.3"},
		"without v":          {200, `{"tag_name": "1.2.3"}`, "v1.2.3"},
		"a page":             {200, "<html><body>Log in</body></html>", "does not answer as a release server does"},
		"other JSON":         {200, `[1, 2]`, "does not answer as a release server does"},
		"no tag":             {200, `{"message": "hello"}`, "does not answer as a release server does"},
		"a tag of no text":   {200, `{"tag_name": 7}`, "does not answer as a release server does"},
		"nothing":            {200, "", "does not answer as a release server does"},
		"huge":               {200, `{"tag_name": "v1.2.3", "body": "` + strings.Repeat("x", 2<<20) + `"}`, "within 1048576 bytes"},
		"control characters": {200, `{"tag_name": "v1.2.3\u001b[2J\u202eevil"}`, `names a release whose version is none: "v1.2.3`},
		"a command":          {200, `{"tag_name": "v1.2.3; rm -rf ~"}`, "whose version is none"},
		"none yet":           {404, `{"message": "Not Found"}`, "answers 404: there is no release"},
		"too often":          {403, ``, "asked too often"},
		"broken":             {500, ``, "answers 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer s.Close()
			v, err := release.Newest(t.Context(), s.URL)
			if err == nil {
				require.Equal(t, c.want, v.String())
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\x1b")
			require.NotContains(t, err.Error(), "\u202e")
		})
	}
}

func TestNewestIsNotAskedAnywhere(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "x", "ftp://localhost/x", "http://example.com/latest", "file:///etc/passwd", "http://localhost.example.com/", "https://", "http://[::1"} {
		_, err := release.Newest(t.Context(), address)
		require.ErrorContains(t, err, "is no address of https, nor one of this machine", address)
	}
	s := httptest.NewServer(http.RedirectHandler("http://192.0.2.7/latest", http.StatusFound))
	defer s.Close()
	_, err := release.Newest(t.Context(), s.URL)
	require.ErrorContains(t, err, "a redirect to http://192.0.2.7/latest is not followed")
	loop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }))
	defer loop.Close()
	_, err = release.Newest(t.Context(), loop.URL)
	require.ErrorContains(t, err, "is not followed")

	asked := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { close(asked); <-r.Context().Done() }))
	defer hung.Close()
	go func() { <-asked; cancel() }()
	_, err = release.Newest(ctx, hung.URL)
	require.ErrorContains(t, err, "cannot be asked")
	hung.Close()
	_, err = release.Newest(t.Context(), hung.URL)
	require.ErrorContains(t, err, "cannot be asked")
}

func TestInstalled(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/usr/local/lib/node_modules/sentinel-guard/node_modules/@agentsentinel/cli-linux-x64/bin/sentinel":     "npm: npm install --global sentinel-guard@latest",
		"/home/x/.npm/_npx/0a1b/node_modules/@agentsentinel/cli-linux-x64/bin/sentinel":                         "npx: npm install --global sentinel-guard@latest",
		"/srv/shop/node_modules/@agentsentinel/cli-linux-x64/bin/sentinel":                                      "npm, in a project: npm install sentinel-guard@latest",
		`C:\Users\x\AppData\Roaming\npm\node_modules\sentinel-guard\node_modules\@agentsentinel\x\sentinel.exe`: "npm: npm install --global sentinel-guard@latest",
		"/opt/homebrew/Caskroom/sentinel-guard/1.2.3/sentinel":                                                  "Homebrew: brew upgrade --cask sentinel-guard",
		`C:\Users\x\scoop\apps\sentinel-guard\current\sentinel.exe`:                                             "Scoop: scoop update sentinel-guard",
		"/home/x y/bin/sentinel": "archive: curl -fsSL https://raw.githubusercontent.com/agentsentinel/sentinel/main/packaging/install.sh | sh -s -- --dir '/home/x y/bin'",
	} {
		w := release.Installed(release.Program{Path: path, GOOS: "linux", Arch: "amd64", Tagged: true}, "v1.2.3")
		if runtime.GOOS != "windows" || !strings.HasPrefix(want, "archive") { // its folder has other slashes there
			require.Equal(t, want, w.Name+": "+w.Command, path)
		}
	}
	require.Equal(t, "go install", release.Installed(release.Program{Path: "/home/x/go/bin/sentinel", Module: true, Tagged: true}, "v1.2.3").Name)
	require.Equal(t, "go install", release.Installed(release.Program{Path: "/srv/bin/sentinel", Module: true}, "v1.2.3").Name)
	require.Equal(t, "built from source", release.Installed(release.Program{Path: "/srv/bin/sentinel"}, "v1.2.3").Name)
}

// A package of the system is known by the system's records.
func TestInstalledAsPackage(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		"var/lib/dpkg/info/sentinel-guard.list":          "deb: curl -fLO https://github.com/agentsentinel/sentinel/releases/download/v1.2.3/sentinel-guard_1.2.3_linux_arm64.deb && sudo apt install ./sentinel-guard_1.2.3_linux_arm64.deb",
		"var/lib/pacman/local/sentinel-guard-1.2-1/desc": "pacman: sudo pacman -U https://github.com/agentsentinel/sentinel/releases/download/v1.2.3/sentinel-guard_1.2.3_linux_arm64.pkg.tar.zst",
		"lib/apk/db/installed":                           "apk: ",
		"usr/lib/sysimage/rpm/x":                         "rpm: sudo rpm -U https://github.com/",
		"etc/x":                                          "archive: ",
	} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		for _, file := range []string{record, "usr/bin/sentinel"} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(root, file), nil, 0o755))
		}
		w := release.Installed(release.Program{Path: filepath.Join(root, "usr/bin/sentinel"), GOOS: "linux", Arch: "arm64", Tagged: true, Root: root}, "v1.2.3")
		require.Contains(t, w.Name+": "+w.Command, want, record)
	}
}

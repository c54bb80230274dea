package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/schemagen"
)

// upgrade runs `sentinel upgrade` as a build of some version.
func upgrade(version, server string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := command.Process()
	env.Args, env.Version, env.Stdout, env.Stderr = append([]string{"upgrade"}, args...), version, &out, &errs
	env.Getenv = func(name string) string {
		if name == "SENTINEL_RELEASES" {
			return server
		}
		return os.Getenv(name)
	}
	return cli.Run(env), out.String(), errs.String()
}

func TestUpgradeCheck(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"tag_name": "v1.2.3"}`)) }))
	defer s.Close()
	for version, want := range map[string]int{"v1.2.2": 2, "v1.2.3-rc.1": 2, "v1.2.3": 0, "v1.3.0": 0, "(devel)": 1} {
		status, out, errs := upgrade(version, s.URL, "--check")
		require.Equal(t, want, status, version+out+errs)
		require.Contains(t, out, "running  "+version)
		require.Contains(t, out, "newest   v1.2.3")
		require.Equal(t, want != 0, strings.Contains(out, "upgrade  "), version)
	}
	status, out, _ := upgrade("v1.0.0", "http://192.0.2.1/", "--check", "--json", "--from", s.URL)
	require.Equal(t, 2, status)
	require.Contains(t, out, `{"version":"v1.0.0","newest":"v1.2.3","newer":true,"path":"`)
	require.Contains(t, out, `"command":"`)
	data, err := os.ReadFile(filepath.Join(schemas, "upgrade.json"))
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(data, &schema))
	require.NoError(t, schemagen.Validate(&schema, []byte(out)))

	status, out, errs := upgrade("v1.0.0", "http://192.0.2.1/", "--check")
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Contains(t, errs, `"http://192.0.2.1/" is no address of https`)
	status, _, errs = upgrade("v1.0.0", s.URL)
	require.Equal(t, 1, status)
	require.Contains(t, errs, "nothing is upgraded by itself")
	s.Close()
	status, _, errs = upgrade("v1.0.0", s.URL, "--check")
	require.Equal(t, 1, status)
	require.Equal(t, 1, strings.Count(errs, "\n"), errs)
}

// Another host is asked over the proxy that the environment names.
func TestUpgradeByProxy(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	cmd := exec.CommandContext(t.Context(), "sentinel", "upgrade", "--check")
	cmd.Env = append(os.Environ(), "HTTPS_PROXY="+proxy.URL, "https_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=", "SENTINEL_RELEASES=https://releases.invalid/latest")
	out, err := cmd.CombinedOutput()
	require.ErrorContains(t, err, "exit status 1")
	require.Contains(t, string(out), "releases.invalid cannot be asked: Proxy Authentication Required")
	require.Equal(t, "CONNECT releases.invalid:443", <-asked)
}

package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecretFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		".env": true, "api/.env.local": true, "~/.kube/config": true, "~/.git-credentials": true, "~/.netrc": true, "~/.npmrc": true,
		"~/.docker/config.json": true, "/home/u/.pypirc": true, "~/.aws/credentials": true, "~/.ssh": true, "~/.ssh/": true,
		"**/id_rsa": true, `C:\Users\u\.ssh\id_ed25519`: true, "certs/server.key": true,
		"": false, ".": false, "~": false, ".npmrc": false, ".env.example": false, "~/.ssh/config": false, "~/.ssh/id_rsa.pub": false,
		"test/server.key": false, "a/fixtures/b/x.pem": false, "ca.pem": false, "src/env.ts": false, "README.md": false,
	} {
		require.Equal(t, want, secretFile(path), path)
	}
}

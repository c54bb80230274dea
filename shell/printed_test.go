package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPrinted: what prints the lines of a file, or sends them, reads it.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git show HEAD:a/b":                             "a/b",
		"git show HEAD~2:a --stat":                      "a",
		"git show HEAD":                                 "",
		"git cat-file -p main:a":                        "a",
		"git cat-file -p 3f2a1c0":                       "",
		"git blame -L1,9 a":                             "a",
		"git grep -n x -- a b":                          "a b",
		"git grep x":                                    "",
		"git log -p -- a":                               "a",
		"git log --oneline -- a":                        "",
		"git diff -- a b":                               "a b",
		"git diff --stat -- a":                          "",
		"git diff main:a main:b":                        "a b",
		"git diff --no-index a b":                       "a b",
		"git archive HEAD a":                            "a",
		"aws s3 cp a s3://b/c":                          "a",
		"aws s3 cp s3://b/c a":                          "",
		"gcloud storage cp a gs://b":                    "a",
		"gh gist create a":                              "a",
		"curl -T a https://example.com":                 "a",
		"shuf a":                                        "a",
		"iconv -f latin1 a":                             "a",
		"pandoc a":                                      "a",
		"docker run --env-file a alpine env":            "a",
		"kubectl create secret generic x --from-file=a": "a",
		"terraform plan -var-file=a":                    "a",
		"date -f a":                                     "a",
		"curl -so a https://example.com":                "",
		"docker compose --env-file a config":            "a",
		"node --env-file=a x.js":                        "a x.js",
		"wc --files0-from=a":                            "a",
		"gcc a.c":                                       "",
	} {
		var got []string
		for _, e := range Parse(line, nil).Effects {
			if e.Kind == EffectRead {
				got = append(got, e.Path)
			}
		}
		require.Equal(t, want, strings.Join(got, " "), line)
	}
}

// TestMade: options name files that a program writes.
func TestMade(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"curl -soa https://example.com", "curl -fsSLo a https://example.com", "curl -H o -oa https://example.com", "psql -o a -c 'select 1'",
		"psql --output=a -c 'select 1'", "pg_dump -f a db", "mysqldump -ra db", "https -d -o a example.com",
	} {
		found := false
		for _, e := range Parse(line, nil).Effects {
			found = found || e.Kind == EffectCreate && e.Path == "a"
		}
		require.True(t, found, line)
	}
}

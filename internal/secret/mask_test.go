package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/secret"
)

const awsKey = "AKIA" + "3Z7QWX2MTBN5RLKD"

func TestMask(t *testing.T) {
	t.Parallel()
	password := "k8wq" + "Zt71" + "xx"
	for _, c := range []struct{ name, text, want string }{
		{"clean", "git push origin main", "git push origin main"},
		{"format", "id=" + awsKey + ";", "id=AKIA…[masked aws-access-key];"},
		{"url", "git clone https://bot:" + password + "@git.acme.dev/x", "git clone https://bot:…[masked url-password]@git.acme.dev/x"},
		{"header", `curl -H "Authorization: Bearer ` + strings.Repeat(password, 3) + `" x`, `curl -H "Authorization: Bearer k8wq…[masked authorization-header]" x`},
		{"name", "export DB_PASSWORD=" + password, "export DB_PASSWORD=…[masked generic-password]"},
		{"quoted again", `password="` + password + `" and ` + password + "!", `password="…[masked generic-password]" and …[masked generic-password]!`},
		{"two", awsKey + " " + awsKey, "AKIA…[masked aws-access-key] AKIA…[masked aws-access-key]"},
		{"no half character", "password=é9" + password + "ü7wq2zt", "password=é9" + password + "ü7wq2zt"},
		{"quoted, no half character", `password="é9` + password + `ü7wq2zt"`, `password="…[masked generic-password]"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := secret.Mask(c.text)
			require.Equal(t, c.want, got)
			require.Equal(t, got, secret.Mask(got), "masking twice")
		})
	}
}

func TestMaskCases(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t) {
		got := secret.Mask(c.text)
		for _, s := range c.want {
			require.NotContains(t, got, s, "line %d", c.line)
		}
		if len(c.want) == 0 {
			require.Equal(t, c.text, got, "line %d", c.line)
		} else {
			require.Contains(t, got, "…[masked "+c.kind+"]", "line %d", c.line)
		}
		require.Equal(t, got, secret.Mask(got), "line %d: masking twice", c.line)
	}
}

func TestMaskerKnowsItsSources(t *testing.T) {
	t.Parallel()
	password := "k8wq" + "Zt71" + "xx"
	m := secret.NewMasker("id: "+awsKey, `const password = "`+password+`"`)
	require.Equal(t, "it holds …[masked generic-password] in clear", m.Mask("it holds "+password+" in clear"))
	require.Equal(t, "xAKIA…[masked aws-access-key]x", m.Mask("x"+awsKey+"x"))
	require.Equal(t, "clean", m.Mask("clean"))
}

func TestMaskerPrefersTheLongerSecret(t *testing.T) {
	t.Parallel()
	short, long := "k8wq"+"Zt71", "k8wq"+"Zt71"+"Pp55"
	m := secret.NewMasker(`password="`+short+`"`, `password="`+long+`"`)
	require.Equal(t, "…[masked generic-password]", m.Mask(long))
}

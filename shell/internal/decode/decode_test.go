package decode

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEscapes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`a\tb\n`: "a\tb\n", `\x72\155`: "rm", `\u0072\U0000006d`: "rm", `\cA`: "\x01", `\q\`: `\q\`, `\x`: `\x`, `\0a`: "a", "plain": "plain",
	} {
		assert.Equal(t, want, Escapes(in), in)
	}
}

func TestBase64AndHex(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"cm0geA==", "cm0geA", "cm0g\neA=="} {
		got, ok := Base64(s)
		assert.True(t, ok)
		assert.Equal(t, "rm x", got)
	}
	_, ok := Base64("")
	assert.False(t, ok)
	got, ok := Hex("0x72 0x6d")
	assert.True(t, ok)
	assert.Equal(t, "rm", got)
	assert.Equal(t, "é1", Reverse("1é"))
}

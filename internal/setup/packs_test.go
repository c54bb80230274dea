package setup

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/agentsentinel/sentinel/internal/digest"
)

// TestPackFile holds what is said of a rule file by what is here, what is delivered and
// what was delivered before.
func TestPackFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		f                      PackFile
		changed, news, removed bool
	}{
		{"as delivered", PackFile{Here: []byte("new"), Delivered: []byte("new"), known: true, once: digest.Hex("new")}, false, false, false},
		{"as delivered, with Windows lines", PackFile{Here: []byte("a\r\n"), Delivered: []byte("a\n")}, false, false, false},
		{"older", PackFile{Here: []byte("old"), Delivered: []byte("new"), known: true, once: digest.Hex("old")}, false, true, false},
		{"changed here", PackFile{Here: []byte("mine"), Delivered: []byte("new"), known: true, once: digest.Hex("new")}, true, false, false},
		{"changed on both sides", PackFile{Here: []byte("mine"), Delivered: []byte("new"), known: true, once: digest.Hex("old")}, true, true, false},
		{"no record", PackFile{Here: []byte("mine"), Delivered: []byte("new")}, true, true, false},
		{"removed", PackFile{Delivered: []byte("new"), known: true, once: digest.Hex("new")}, false, false, true},
		{"never here", PackFile{Delivered: []byte("new")}, false, false, false},
	} {
		assert.Equal(t, []bool{c.changed, c.news, c.removed}, []bool{c.f.Changed(), c.f.News(), c.f.Removed()}, c.name)
	}
}

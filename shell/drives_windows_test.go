package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A path with a drive is the same in every folder.
func TestDrives(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "run cd src\nrun cd C:/other dir=src\nrun git push dir=C:/other\n", describe(Parse("cd src && cd C:/other && git push", nil))+"\n")
	for want, join := range map[string][2]string{"C:/x": {"src", "C:/x"}, "src/x": {"src", "x"}, "C:/../x": {"C:/a", "../../x"}, "C:/b": {"C:/a", "../b"}} {
		assert.Equal(t, want, joinPath(join[0], join[1]))
	}
}

package statement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrowth: what is noted of a statement does not grow with the file that it is in, so that a file of
// twice the length takes twice the work.
func TestGrowth(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]func(int) string{
		"names":  func(i int) string { return fmt.Sprintf("- Components %d use PascalCase.\n", i) },
		"nested": func(i int) string { return strings.Repeat("  ", i) + fmt.Sprintf("- Never run `t%d x`:\n", i) },
	} {
		noted := func(lines int) (n int) {
			var text strings.Builder
			for i := range lines {
				text.WriteString(line(i))
			}
			list := Of(&File{Path: "CLAUDE.md", Text: text.String()})
			require.Len(t, list, lines)
			for i := range list {
				n += len(list[i].Named) + len(list[i].Outer)
			}
			return n
		}
		few := noted(200)
		require.NotZero(t, few, name)
		require.Less(t, noted(400), 3*few, name)
	}
}

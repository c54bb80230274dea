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

// TestLongAbove: what is above many statements is read again for each, so a statement keeps little of it.
func TestLongAbove(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("never edit what is generated, ", 100)
	for name, above := range map[string]string{"lead": "# Rules\n\n" + long + ":", "heading": "# " + long, "outer": "# Rules\n\n" + long + ":\n\n- these:"} {
		indent := strings.Repeat("  ", strings.Count(above, "- "))
		list := Of(&File{Path: "CLAUDE.md", Text: above + "\n\n" + strings.Repeat(indent+"- Use `npm test` for it.\n", 5)})
		require.GreaterOrEqual(t, len(list), 5, name)
		last := list[len(list)-1]
		require.LessOrEqual(t, len(last.Lead)+len(strings.Join(append(last.Section, last.Outer...), "")), 1000, name)
		require.Contains(t, last.Text, "npm test", name)
	}
	short := Of(&File{Path: "CLAUDE.md", Text: "# Rules\n\nNever do these:\n\n- `git push --force`\n"})
	require.Equal(t, "Never do these:", short[len(short)-1].Lead)
	require.Equal(t, []string{"Rules"}, short[len(short)-1].Section)
}

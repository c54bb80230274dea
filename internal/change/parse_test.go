package change

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

func FuzzParse(f *testing.F) {
	f.Add("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n")
	f.Add("diff --git a/x b/x\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/x differ\n")
	f.Add("diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
	f.Fuzz(func(t *testing.T, diff string) {
		files, _, err := parse("/r", strings.NewReader(diff))
		if err != nil {
			return
		}
		for _, file := range files {
			require.Equal(t, sentinel.FileWrite, file.Action.Trigger)
			require.GreaterOrEqual(t, file.Last, file.First)
			require.LessOrEqual(t, len(file.Lines), strings.Count(file.Action.Content, "\n")+1)
			for _, line := range file.Lines {
				require.LessOrEqual(t, line, file.Last)
			}
		}
	})
}

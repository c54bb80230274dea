package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPushBySettings: a push without branches does what settings of the line say.
func TestPushBySettings(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"git -c remote.origin.push=+HEAD:main push":                                    "main",
		"git -c remote.origin.mirror=true push":                                        "HEAD",
		"git config remote.origin.mirror true; git push":                               "HEAD",
		"git config --add remote.origin.push '+refs/heads/*:refs/heads/*' && git push": "*",
		"git config remote.origin.push HEAD:main; git push -f":                         "main",
		"git -c remote.origin.push=+HEAD:main push origin topic":                       "",
		"git -c remote.origin.push=HEAD:main push":                                     "",
		"git -c remote.origin.mirror=false push":                                       "",
		"git config remote.origin.push; git push":                                      "",
	} {
		lost := ""
		for _, e := range Parse(line, nil).Effects {
			if e.Kind == EffectLose && e.To != "" {
				lost = e.Object
			}
		}
		require.Equal(t, want, lost, line)
	}
}

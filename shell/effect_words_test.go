package shell

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

func TestEffectWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, len(effectNames)-1, int(effect.Spawn), "package effect has the same kinds in the same order")
	require.Equal(t, effect.Kind(EffectRun), effect.Run)
	require.Equal(t, "unknown", EffectKind(200).String())
	require.False(t, EffectPermission.OnFile())
	require.True(t, EffectRead.OnFile())
	data, err := json.Marshal(Effect{Kind: EffectSend, Object: "x", To: "h", Origin: OriginStdin})
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"send","object":"x","to":"h","command":0,"origin":"stdin"}`, string(data))
	var back Effect
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, Effect{Kind: EffectSend, Object: "x", To: "h", Origin: OriginStdin}, back)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"kind":"sned"}`), &back), `unknown word "sned" (want none, create`)
	_, err = json.Marshal(Effect{Kind: 200})
	require.ErrorContains(t, err, "value 200 has no text form")
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Origin{
		"rm a":                       OriginLiteral,
		"x=a; rm $x":                 OriginLiteral,
		"rm *.o":                     OriginGlob,
		"rm $(git ls-files)":         OriginListing,
		"find . -name '*.o' -delete": OriginListing,
		"ls | xargs rm":              OriginListing,
		`rm "$x"`:                    OriginVariable,
		"curl h | xargs rm":          OriginStdin,
		"rm $(curl h)":               OriginUnknown,
	} {
		effects := Parse(line, nil).Effects
		require.NotEmpty(t, effects, line)
		last := effects[len(effects)-1]
		require.Equal(t, want, last.Origin, line)
		require.Equal(t, want == OriginLiteral, last.Certain, line)
	}
}

func TestRecursive(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"rm -rf a":                   true,
		"rm a":                       false,
		"rimraf a":                   true,
		"find a -delete":             true,
		"find a -name '*.o' -delete": false,
		"Remove-Item -Recurse a":     true,
		"Remove-Item a":              false,
		`python3 -c "import shutil; shutil.rmtree('a')"`:           true,
		`python3 -c "import os; os.remove('a')"`:                   false,
		`node -e "fs.rmSync('a', {recursive: true, force: true})"`: true,
		`node -e "fs.rmSync('a')"`:                                 false,
		`perl -MFile::Path -e "rmtree('a')"`:                       true,
		`ruby -rfileutils -e "FileUtils.rm_rf('a')"`:               true,
		`ruby -e "File.delete('a')"`:                               false,
	} {
		effects := Parse(line, nil).Effects
		require.Len(t, effects, 1, line)
		require.Equal(t, EffectDelete, effects[0].Kind, line)
		require.Equal(t, want, effects[0].Recursive, line)
	}
}

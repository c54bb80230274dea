package audit_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
)

func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	for want, values := range map[string]audit.Values{
		`null`: nil,
		`{}`:   {},
		`{"a":2,"b":2.0,"c":0.5,"d":true,"e":"x","f":["y","z"],"g":-3.0,"h":1e+21,"i":` + strconv.Itoa(math.MaxInt) + `}`: {
			"a": 2, "b": 2.0, "c": 0.5, "d": true, "e": "x", "f": []string{"y", "z"}, "g": -3.0, "h": 1e21, "i": math.MaxInt,
		},
		`{"<":[]}`: {"<": []string{}},
	} {
		text, err := json.Marshal(values)
		require.NoError(t, err)
		if want == `{"<":[]}` {
			want = `{"\u003c":[]}`
		}
		require.Equal(t, want, string(text))
		var got audit.Values
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, values, got)
	}
}

func TestValuesRefuse(t *testing.T) {
	t.Parallel()
	_, err := json.Marshal(audit.Values{"x": math.NaN()})
	require.ErrorContains(t, err, `audit: figure "x"`)
	for text, want := range map[string]string{
		`{"x":{"y":1}}`: `figure "x": neither number`,
		`{"x":null}`:    `figure "x": neither number`,
		`{"x":[1]}`:     `figure "x": a list of what is no text`,
		`[]`:            "cannot unmarshal",
	} {
		var v audit.Values
		require.ErrorContains(t, json.Unmarshal([]byte(text), &v), want)
	}
}

package judges

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

const mark = "0123456789abcdef"

func TestParseAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]answer{
		`{"argument":"a","cited_evidence":["repo#0"],"score":4}`:                           {4, "a", []string{"repo#0"}},
		` {"score":1,"cited_evidence":[],"argument":" two\nlines "}` + "\n":                {1, "two\nlines", nil},
		`{"argument":"a","cited_evidence":["repo#0","docs#1","repo#0"],"score":5.0}`:       {5, "a", []string{"repo#0", "docs#1"}},
		`{"argument":"\u001b[2J\u202eok","cited_evidence":[""],"score":3}`:                 {3, `\u001b[2J\u202eok`, []string{""}},
		`{"argument":"` + strings.Repeat("é", 2000) + `","cited_evidence":[],"score":2e0}`: {2, strings.Repeat("é", 1000) + " [2000 more bytes]", nil},
	} {
		got, err := parseAnswer(text, mark, nil)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	many, err := parseAnswer(`{"argument":"a","score":1,"cited_evidence":["x`+strings.Join(strings.Split(strings.Repeat("y", 99), ""), `","z`)+`"]}`, mark, nil)
	require.NoError(t, err)
	require.LessOrEqual(t, len(many.cited), maxCited)
}

func TestMalformedAnswer(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"":   "not JSON: unexpected EOF",
		"5":  "want a JSON object, got 5",
		"{}": `key "score" is no whole number from 1 to 5`,
		"```json\n{\"argument\":\"a\",\"cited_evidence\":[],\"score\":5}\n```":   "not JSON: invalid character '`' looking for beginning of value",
		`{"argument":"a","cited_evidence":[],"score":5} and so on`:               "there is text after the answer",
		`{"argument":"a","cited_evidence":[],"score":5,"score":1}`:               `key "score" stands twice`,
		`{"argument":"a","cited_evidence":[],"score":5,"verdict":"PASS"}`:        `unknown key "verdict"`,
		`{"argument":"a","cited_evidence":[],"score":0}`:                         `key "score" is no whole number from 1 to 5`,
		`{"argument":"a","cited_evidence":[],"score":6}`:                         `key "score" is no whole number from 1 to 5`,
		`{"argument":"a","cited_evidence":[],"score":9000}`:                      `key "score" is no whole number from 1 to 5`,
		`{"argument":"a","cited_evidence":[],"score":4.5}`:                       `key "score" is no whole number from 1 to 5`,
		`{"argument":"a","cited_evidence":[],"score":"4"}`:                       `key "score" is no whole number from 1 to 5`,
		`{"argument":"a","cited_evidence":[],"score":null}`:                      `key "score" is no whole number from 1 to 5`,
		`{"cited_evidence":[],"score":4}`:                                        `key "argument" is no text`,
		`{"argument":["a"],"cited_evidence":[],"score":4}`:                       `key "argument" is no text`,
		`{"argument":" ., ","cited_evidence":[],"score":4}`:                      `key "argument" says nothing`,
		`{"argument":null,"cited_evidence":[],"score":4}`:                        `key "argument" says nothing`,
		`{"argument":"a","score":4}`:                                             `key "cited_evidence" is no list`,
		`{"argument":"a","cited_evidence":null,"score":4}`:                       `key "cited_evidence" is no list`,
		`{"argument":"a","cited_evidence":"repo#0","score":4}`:                   `key "cited_evidence" is no list`,
		`{"argument":"a","cited_evidence":[0],"score":4}`:                        `key "cited_evidence" lists what is no text`,
		`{"argument":"a","cited_evidence":[null],"score":4}`:                     `key "cited_evidence" lists what is no text`,
		`{"argument":"END DATA 0123456789abcdef","cited_evidence":[],"score":4}`: "the answer repeats the mark around the evidence",
		`{"Argument":"a","Cited_evidence":[],"Score":4}`:                         `unknown key "Argument"`,
	} {
		_, err := parseAnswer(text, mark, nil)
		require.EqualError(t, err, why, text)
	}
}

func TestDivide(t *testing.T) {
	t.Parallel()
	valid, invalid := divide([]string{"repo#1", "repo#10", "", "e", "REPO#1", "repo#1 ", "docs#0", "a\nb"}, []string{"docs#0", "repo#10"})
	require.Equal(t, []string{"repo#10", "docs#0"}, valid)
	require.Equal(t, []string{"repo#1", "", "e", "REPO#1", "repo#1 ", `a\nb`}, invalid)
	valid, invalid = divide(nil, nil)
	require.NotNil(t, valid)
	require.Empty(t, valid)
	require.Nil(t, invalid)
}

// The schema that models are held to is itself JSON, and what it allows is taken.
func TestSchema(t *testing.T) {
	t.Parallel()
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	require.NoError(t, json.Unmarshal([]byte(answerSchema(nil)), &schema))
	require.Len(t, schema.Properties, 3)
	require.ElementsMatch(t, []string{"argument", "cited_evidence", "score"}, schema.Required)
}

// A criterion of points is asked about, and answered, in its points.
func TestScaleOfACriterion(t *testing.T) {
	t.Parallel()
	d := &rubric.Dimension{ID: "c", Scale: audit.Scale{0, 20}}
	q := newQuestion(place{judge: audit.Defense, criterion: d}, Model{}, display{}, 7)
	require.Contains(t, q.prompt, "a whole number from 0 to 20")
	require.Contains(t, q.prompt, "\n0: nothing of it is there")
	require.Contains(t, q.prompt, "\n10: the essential part")
	require.Contains(t, q.prompt, "\n20: all of it")
	require.Contains(t, answerSchema(d.Scale), `"minimum":0,"maximum":20`)
	for score, valid := range map[string]bool{"0": true, "20": true, "21": false, "-1": false, "2.5": false} {
		_, err := parseAnswer(`{"argument":"a","cited_evidence":[],"score":`+score+`}`, mark, d.Scale)
		require.Equal(t, valid, err == nil, score)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, text := range []string{
		`{"argument":"a","cited_evidence":["repo#0"],"score":4}`, `{"argument":"","cited_evidence":[],"score":4}`,
		`{"score":5.0,"cited_evidence":["x","x"],"argument":"\ud800"}`, `{"score":1e0}`, "null", "[]", "{", "\x00", mark,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAnswer(text, mark, nil)
		if err != nil {
			return
		}
		require.NotContains(t, text, mark)
		require.GreaterOrEqual(t, a.score, 1)
		require.LessOrEqual(t, a.score, 5)
		require.NotEmpty(t, a.argument)
		require.True(t, utf8.ValidString(a.argument))
		require.LessOrEqual(t, len(a.argument), maxArgument+40)
		require.LessOrEqual(t, len(a.cited), maxCited)
		valid, invalid := divide(a.cited, []string{"repo#0"})
		require.Len(t, append(valid, invalid...), len(a.cited))
	})
}

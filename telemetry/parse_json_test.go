package telemetry

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// lines have all the forms that a log may have.
var lines = []string{
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"billing-protection","trigger":"file_write","target":"src/core/billing/invoice.ts","violation":true,"confidence":0.92,"reason":"File is in the protected billing directory","elapsed_ms":47,"model":"gemma3:4b","backend":"ollama"}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"no-force-push","trigger":"bash","target":"git commit -m \"a\\nb\"\u0009\n","violation":false,"confidence":0.123456789012,"reason":"r\u00e9sum\u00e9","elapsed_ms":47.2,"model":"gemma3:4b","backend":"ollama","level":"eval","severity":"block","outcome":"violation","session":"5f0c","agent":"claude","tool":"Bash","call_id":"toolu_01","threshold":0.7,"near_miss":true,"cached":true,"tainted":true,"prompt_tokens":212,"output_tokens":31}`,
	`{"ts": "2026-03-30T14:22:01Z", "rule_id": "r", "level": "skipped", "tool": "Write", "blocked": true, "threshold": 0.7, "reason": "timeout"}` + "\r\n",
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"","level":"decision","verdict":"block","rules_matched":1,"rules_judged":1,"mode":"allowed","elapsed_ms":52.9}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","level":"dream","shape":{"round":[1,2]}}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","later":"a \" b","n":12,"yes":true,"Level":"eval"}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","target":"\ud83d\ude00 \ud83d","error":null}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","target":"\ud83d\ude00"}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","target":"a\ud83d"}`,
	`{"ts":"2026-03-30T16:22:01.5+02:00","rule_id":"x","target":"žluťoučký"}`,
	`{"ts":"2026-02-30T14:22:01Z","rule_id":"x"}`,
	`{"ts":"1970-01-01T00:00:00Z","rule_id":"x","confidence":1e3,"elapsed_ms":-1}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","rule_id":"y","target":"a","target":"","violation":true,"violation":false}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","prompt_tokens":99999999999999999999}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","prompt_tokens":1.5}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","confidence":00.1}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","confidence":1.}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","target":"a` + "\x01" + `"}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","target":"` + "\xff" + `"}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","target":"\q"}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x"} trailing`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"x",}`,
	`{"ts":"2026-03-30T14:22:01Z","rule_id":"torn","tri`,
	`{"rule_id":"x"}`, `{}`, `null`, `[]`, ``, `{"`, `{"a"`, `{"a":`, `not JSON`,
}

// byEncodingJSON reads a line as [parse] does, with encoding/json.
func byEncodingJSON(data []byte) (Record, error) {
	var l struct {
		Record
		Time    string  `json:"ts"`
		RuleID  *string `json:"rule_id"`
		Blocked bool    `json:"blocked"`
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return Record{}, err
	}
	if l.RuleID == nil {
		return Record{}, errors.New("no rule_id")
	}
	r := line{Record: l.Record, blocked: l.Blocked}
	r.RuleID = *l.RuleID
	var err error
	if r.Time, err = parseTime(l.Time); err != nil {
		return Record{}, err
	}
	r.complete()
	return r.Record, nil
}

// requireAgreement holds that a line is the same record for [Parse] and for
// encoding/json, or none for both.
func requireAgreement(t *testing.T, data []byte) {
	t.Helper()
	want, wantErr := byEncodingJSON(data)
	got, err := Parse(data)
	require.Equal(t, wantErr == nil, err == nil, "%q: %v, %v", data, wantErr, err)
	if utf8.Valid(data) { // a run of bad bytes becomes one mark here, many there
		require.Equal(t, want, got, "%q", data)
	}
}

func TestParseAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		requireAgreement(t, []byte(l))
	}
}

// A line of a record in which every field is set reads as that record.
func TestParseWrittenLine(t *testing.T) {
	t.Parallel()
	full := Record{RuleID: "r", Target: "echo \"a\\b\" <c> & \u2028 \t", Reason: "weil’s so ist", Level: LevelEval, Outcome: "pass"}
	fill(reflect.ValueOf(&full).Elem())
	full.Time = time.Date(2026, 3, 30, 14, 22, 1, 0, time.UTC)
	written, err := encode([]Record{full})
	require.NoError(t, err)
	got, err := Parse(written[0])
	require.NoError(t, err)
	require.Equal(t, full, got)
}

// fill gives every field that is empty a value.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.String:
			if f.Len() == 0 {
				f.SetString("text")
			}
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(12)
		case reflect.Float64:
			f.SetFloat(0.25)
		}
	}
}

func FuzzParseAgreesWithEncodingJSON(f *testing.F) {
	for _, l := range lines {
		f.Add([]byte(l))
	}
	f.Fuzz(requireAgreement)
}

func BenchmarkParse(b *testing.B) {
	for name, line := range map[string]string{"reference": lines[0], "full": lines[1]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse([]byte(line)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

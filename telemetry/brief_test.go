package telemetry

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are of all the shapes that a log may hold.
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

// Of a line that both ways can read, they say the same; what the quick one takes
// is a record.
func requireAgreement(t *testing.T, line []byte) {
	t.Helper()
	var s, other scanner
	quick := s.quick(line)
	want, err := other.slow(line)
	if !quick {
		return
	}
	require.NoError(t, err, "taken by the quick way: %q", line)
	require.Equal(t, fmt.Sprintf("%v", *want), fmt.Sprintf("%v", s.b), "%q", line) // no difference between an empty slice and none
}

func TestBothWaysOfReadingAgree(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		requireAgreement(t, []byte(l))
	}
	var s scanner
	for _, l := range lines[:4] {
		require.True(t, s.quick([]byte(l)), "a usual line takes the quick way: %s", l)
	}
	require.True(t, s.quick([]byte(`{"ts":"2026-03-30T14:22:01Z","rule_id":"x","new_key":"y","newer":1,"newest":true}`)), "so does one with keys to come")
}

// A line that this package writes takes the quick way, whatever is in it.
func TestWrittenLinesAreReadQuickly(t *testing.T) {
	t.Parallel()
	full := Record{RuleID: "r", Target: "echo \"a\\b\" <c> & \u2028 \t", Reason: "weil’s so ist", Level: LevelEval, Outcome: "pass"}
	fill(reflect.ValueOf(&full).Elem())
	written, err := encode([]Record{full})
	require.NoError(t, err)
	var s scanner
	require.True(t, s.quick(written[0]), "%s", written[0])
	requireAgreement(t, written[0])
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

// Every key of a record is known to the scanner by the type of its value.
func TestScannerKnowsEveryKey(t *testing.T) {
	t.Parallel()
	for i := range reflect.TypeFor[Record]().NumField() {
		f := reflect.TypeFor[Record]().Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want := kindText
		switch f.Type.Kind() {
		case reflect.Bool:
			want = kindBool
		case reflect.Int:
			want = kindWhole
		case reflect.Float64:
			want = kindNumber
		}
		require.Equal(t, want, kindOf([]byte(key)), "add the key %q to kindOf", key)
	}
}

func FuzzBothWaysAgree(f *testing.F) {
	for _, l := range lines {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, line []byte) { requireAgreement(t, line) })
}

func BenchmarkScannerLine(b *testing.B) {
	for name, line := range map[string]string{"reference": lines[0], "full": lines[1]} {
		b.Run(name, func(b *testing.B) {
			var s scanner
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if !s.quick([]byte(line)) {
					b.Fatal("not quick")
				}
			}
		})
		b.Run(name+"/json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if !json.Valid([]byte(line)) {
					b.Fatal("not JSON")
				}
			}
		})
	}
}

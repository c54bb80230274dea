package scribe

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/rule"
)

func TestSections(t *testing.T) {
	t.Parallel()
	doc := "intro\n# One\ntext one\n## Deep\ntext deep\n```sh\n# no heading\n```\n# Two\ntext two\n"
	require.Equal(t, []string{strings.TrimSpace(doc)}, sections(doc, 4000), "what fits stays whole")
	require.Equal(t, []string{
		"intro\n# One\ntext one",
		"# One\n## Deep\ntext deep\n```sh\n# no heading\n```",
		"# Two\ntext two",
	}, sections(doc, 50), "cut at headings, with those above")
	require.Empty(t, sections("", 100))
	require.Empty(t, sections(" \n\n ", 100))
}

func FuzzSections(f *testing.F) {
	f.Add("# a\ntext\n\n## b\n"+strings.Repeat("word ", 200), 100)
	f.Add(strings.Repeat("ä", 500), 100)
	f.Add("```\n# x", 120)
	f.Fuzz(func(t *testing.T, doc string, max int) {
		if max < 100 || max > 10_000 {
			return
		}
		doc = strings.ToValidUTF8(doc, "?")
		parts := sections(doc, max)
		for _, p := range parts {
			if n := utf8.RuneCountInString(p); n > max {
				t.Fatalf("a part has %d characters, more than %d", n, max)
			}
		}
		all := strings.Join(parts, " ")
		for _, w := range strings.FieldsFunc(doc, func(r rune) bool { return r == ' ' || r == '\n' }) {
			if utf8.RuneCountInString(w) < 20 && !strings.Contains(all, strings.TrimSpace(w)) {
				t.Fatalf("the word %q is in no part", w)
			}
		}
	})
}

func entries(v *view, list ...transcript.Entry) {
	for _, e := range list {
		v.add(e)
	}
}

// The view of a long session keeps its beginning, its end, what people said and
// what was corrected.
func TestView(t *testing.T) {
	t.Parallel()
	v := newView(1000)
	chatter := func(from, to int) {
		for i := from; i < to; i++ {
			entries(v, transcript.Entry{Kind: transcript.Call, Tool: "Bash", Text: fmt.Sprintf("ls %d", i), CallID: fmt.Sprint(i)},
				transcript.Entry{Kind: transcript.Result, Tool: "Bash", CallID: fmt.Sprint(i), Text: "fine"})
		}
	}
	entries(v, transcript.Entry{Kind: transcript.Human, Text: "The very first words."})
	chatter(0, 1000)
	entries(v, transcript.Entry{Kind: transcript.Human, Text: "Never touch the lock file."})
	chatter(1000, 2000)
	entries(v, transcript.Entry{Kind: transcript.Call, Tool: "Bash", Text: "make tset", CallID: "w"},
		transcript.Entry{Kind: transcript.Result, Failed: true, CallID: "w", Text: "no rule to make target"},
		transcript.Entry{Kind: transcript.Call, Tool: "Bash", Text: "make test", CallID: "r"},
		transcript.Entry{Kind: transcript.Result, CallID: "r"})
	chatter(2000, 3000)
	entries(v, transcript.Entry{Kind: transcript.Assistant, Text: "The last words."})

	text := render(v.lines())
	require.LessOrEqual(t, utf8.RuneCountInString(text), 1000)
	for _, want := range []string{
		"human: The very first words.\n", "human: Never touch the lock file.\n", "tool Bash: make tset\n", "result ERROR: no rule to make target\n",
		"tool Bash: make test\n", "assistant: The last words.\n", "…\n",
	} {
		require.Contains(t, text, want)
	}
}

// However long a session is, and whatever its lines are, the view stays within
// its budget and holds little.
func FuzzView(f *testing.F) {
	f.Add(100, 50, "text", uint8(1))
	f.Add(4000, 3000, strings.Repeat("long ", 2000), uint8(7))
	f.Fuzz(func(t *testing.T, budget, n int, text string, seed uint8) {
		if budget < 100 || budget > 20_000 || n < 0 || n > 2000 {
			return
		}
		v := newView(budget)
		for i := range n {
			x := int(seed) + i*i
			e := transcript.Entry{Kind: transcript.Kind(1 + x%4), Text: text[:min(len(text), x%5000)], Tool: "Write", CallID: fmt.Sprint(x % 7), Failed: x%5 == 0, Denied: x%11 == 0, Sub: x%13 == 0}
			if e.Kind == transcript.Call {
				e.Call = &sentinel.ToolCall{Name: "Write", Args: json.RawMessage(fmt.Sprintf(`{"file_path":"f%d"}`, x%3))}
			}
			v.add(e)
		}
		lines := v.lines()
		if got := utf8.RuneCountInString(render(lines)); got > budget {
			t.Fatalf("%d characters of %d", got, budget)
		}
		for i := 1; i < len(lines); i++ {
			if lines[i-1].index >= lines[i].index {
				t.Fatal("the lines are not in order")
			}
		}
		if held := len(v.head) + len(v.said.lines) + len(v.corrected.lines) + len(v.tail.lines) + len(v.recent); held > 4*budget+2*remembered {
			t.Fatalf("%d lines are held", held)
		}
	})
}

// The task of a subagent comes from its own agent.
func TestSubagent(t *testing.T) {
	t.Parallel()
	v := newView(1000)
	entries(v, transcript.Entry{Kind: transcript.Human, Sub: true, Text: "Never use sudo in this repository."})
	_, _, ok := whoSaid("Never use sudo in this repository.", v.lines())
	require.False(t, ok)
	require.False(t, v.worthAsking())
}

func FuzzParseExtraction(f *testing.F) {
	f.Add(`{"conventions":[{"statement":"Never use sudo","scope_hint":"sudo","trigger_hint":"bash","confidence":0.9,"evidence":"never use sudo","source":"user_feedback"}]}`)
	f.Add(`{"conventions":[{"statement":"a","confidence":"1"},null,[],{}]}`)
	f.Add(`{"conventions":{}}`)
	f.Add("```json\n{\"conventions\":[]}\n```")
	f.Fuzz(func(t *testing.T, answer string) {
		found, _, err := parseExtraction(answer, "fence")
		if err != nil && found != nil {
			t.Fatal("an answer that is malformed has conventions")
		}
		for _, c := range found {
			if c.Confidence < 0 || c.Confidence > 1 || normal(c.Statement) == "" || utf8.RuneCountInString(c.Statement) > maxStatement ||
				strings.ContainsAny(c.Statement+c.ScopeHint, "\n\r\x1b") {
				t.Fatalf("unfit: %+v", c)
			}
		}
	})
}

func FuzzParseSynthesis(f *testing.F) {
	f.Add(`{"redundant":true,"rule_id":"known","reason":"same"}`)
	f.Add(`{"redundant":false}`)
	f.Add("id: x\ntrigger: bash\nscope: [\"sudo *\"]\nprompt: It must not.\n")
	f.Add("```yaml\nid: ../x\nscope: [a]\n```")
	f.Add("&a [*a, *a]")
	f.Fuzz(func(t *testing.T, answer string) {
		s, err := parseSynthesis(answer, "fence", func(id string) bool { return id == "known" })
		switch {
		case err != nil:
			return
		case s.redundant && s.ruleID != "known":
			t.Fatal("covered by a rule that was not in the list")
		case s.redundant:
			return
		}
		o := (&Options{Root: "/r", Dir: "/r/.claude/sentinel"}).filled()
		text, faults := o.compose(t.Context(), "the-id", &Observation{Statement: "s", Evidence: "e", Source: UserFeedback}, &s.file, "m")
		if len(faults) > 0 {
			return
		}
		d := parseDraft("the-id", "/r/x", text)
		if d.Broken() || len(d.File.Definition.Tests) == 0 || len(d.File.Definition.Scope) == 0 || len(objectionsOfDraft(&d)) > 0 {
			t.Fatalf("a draft that is unfit was made:\n%s\n%v", text, d.File.Problems)
		}
		if _, err := withoutProvenance(&d, o.Now()); err != nil {
			t.Fatalf("a draft that cannot be promoted: %v\n%s", err, text)
		}
	})
}

func objectionsOfDraft(d *Draft) []string {
	def := d.File.Definition
	def.Draft = nil
	return objections(&def)
}

func FuzzApply(f *testing.F) {
	good, err := json.Marshal(observed("Never use sudo"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"id":"` + digestOf("never use sudo") + `","state":"drafted","draft":"x"}`))
	f.Add([]byte(`{"id":"x","state":"observed","confidence":1e999}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		byID := map[string]*Observation{}
		_, _ = apply(good, byID)
		_, _ = apply(line, byID)
		for id, ob := range byID {
			if ob.ID != id || ob.State == "" || ob.Confidence < 0 || ob.Confidence > 1 || ob.Seen < 1 {
				t.Fatalf("unfit: %+v", ob)
			}
		}
	})
}

func FuzzParseDraft(f *testing.F) {
	f.Add([]byte("id: d\ntrigger: bash\nscope: [\"sudo *\"]\nprompt: x\n_draft:\n  source: user_feedback\n  first_seen: 2026-01-02T03:04:05Z\n"))
	f.Add([]byte("_draft: 1\n"))
	f.Add([]byte("{id: d, scope: [a], prompt: x, _draft: {}}"))
	f.Add([]byte("id: d\nscope: [a]\nprompt: |\n  x\n_draft:\n\n  a: b\n# c\nmessage: y\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := parseDraft("d", "/x", text)
		out, err := withoutProvenance(&d, observed("x").Time)
		if err != nil || d.Broken() {
			return
		}
		if f := rule.Parse("d.yaml", out); f.Broken() || f.Definition.Draft != nil || f.Definition.ID != "d" {
			t.Fatalf("the rule is another one than its draft:\n%s\n%v", out, f.Problems)
		}
	})
}

func FuzzInstance(f *testing.F) {
	f.Add("src/**/*.{ts,tsx}", "x")
	f.Add("[a-z]?\\*{", "")
	f.Fuzz(func(t *testing.T, pattern, star string) {
		if len(instance(pattern, star)) > len(pattern)*(len(star)+len("example"))+1 {
			t.Fatal("too long")
		}
	})
}

// However much an agent writes, a view holds little of it.
func TestViewIsSmall(t *testing.T) { // not parallel: it counts what is held
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	v := newView(4000)
	before := heap()
	for i := range 1000 {
		id, path := fmt.Sprint(i), fmt.Sprintf("/r/%d.go", i%50)
		args := []byte(`{"file_path":"` + path + `","content":"` + strings.Repeat("x", 64<<10) + `"}`)
		v.add(transcript.Entry{Kind: transcript.Call, Tool: "Write", Text: path, CallID: id, Call: &sentinel.ToolCall{ID: id, Name: "Write", Args: args}})
		v.add(transcript.Entry{Kind: transcript.Result, Tool: "Write", CallID: id, Failed: i%3 == 0, Text: strings.Repeat("e", 1000)})
	}
	require.Less(t, int64(heap()-before), int64(1<<20), "bytes held of 64 MB")
	require.NotEmpty(t, v.lines())
}

// Ids are kept in files: their form may not change.
func TestDigestIsKept(t *testing.T) {
	t.Parallel()
	require.Equal(t, "aa795aa4bbb61179", digestOf("a", "bc"))
	require.NotEqual(t, digestOf("a", "bc"), digestOf("ab", "c"))
}

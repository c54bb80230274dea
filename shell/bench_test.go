package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// benchLine is a command of 200 bytes such as an agent sends.
const benchLine = `cd /srv/app && git -C . pull --rebase origin main && npm ci --no-audit 2>&1 | tail -n 20 && sudo systemctl restart app.service && curl -fsS "http://localhost:8080/health?full=1" -o /tmp/health.json; ls -la`

// benchHeredoc writes a file of 100 KB.
func benchHeredoc() string {
	return "cat > src/data.json <<'EOF'\n" + strings.Repeat(`{"name": "value", "list": [1, 2, 3]},`+"\n", 100<<10/38) + "EOF\n"
}

func syntaxOnly(b *testing.B, text string) {
	b.Helper()
	p := syntax.NewParser()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Parse(strings.NewReader(text), ""); err != nil {
			b.Fatal(err)
		}
	}
}

func parseOnly(b *testing.B, text string) {
	b.Helper()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if l := Parse(text, nil); len(l.Commands) == 0 {
			b.Fatal("no commands")
		}
	}
}

func BenchmarkParseLine(b *testing.B)         { parseOnly(b, benchLine) }
func BenchmarkSyntaxOnlyLine(b *testing.B)    { syntaxOnly(b, benchLine) }
func BenchmarkParseShort(b *testing.B)        { parseOnly(b, "git status --short") }
func BenchmarkSyntaxOnlyShort(b *testing.B)   { syntaxOnly(b, "git status --short") }
func BenchmarkParseHeredoc(b *testing.B)      { parseOnly(b, benchHeredoc()) }
func BenchmarkSyntaxOnlyHeredoc(b *testing.B) { syntaxOnly(b, benchHeredoc()) }

func BenchmarkParsePythonHeredoc(b *testing.B) {
	parseOnly(b, "python3 <<'EOF'\n"+strings.Repeat("x = dict(name='value', list=[1, 2, 3])\n", 100<<10/39)+"EOF\n")
}

func BenchmarkHasFlags(b *testing.B) {
	c := Parse("git push origin main --force-with-lease --no-verify", nil).Commands[0]
	b.ReportAllocs()
	for b.Loop() {
		if c.HasFlags("--force") || !c.HasFlags("--no-verify") {
			b.Fatal("wrong")
		}
	}
}

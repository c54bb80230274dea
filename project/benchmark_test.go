package project_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/project"
)

// The sizes that README's table has.
var sizes = []int{1, 24, 100, 1000}

// repository makes a project of n rules of the common kinds, none of which
// applies to a write of src/app/main.go, and those of extra.
func repository(b *testing.B, n int, extra tree) (dir string, opts *project.Options) {
	b.Helper()
	dir = b.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, ".claude", "sentinel", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	kinds := []string{
		"trigger: file_write\nscope: [\"services/s%[1]d/**\", \"**/*.gen%[1]d.go\"]\nprompt: \"RULE %[1]d: {{file_path}} {{content_snippet}}\"\n",
		"trigger: bash\nscope: [\"deploy%[1]d *\"]\nprompt: \"RULE %[1]d: {{command}}\"\n",
		"trigger: mcp\nscope: [\"server%[1]d:*\"]\nprompt: \"RULE %[1]d: {{mcp_arguments}}\"\n",
		"trigger: file_write\nscope: [\"**/migrations%[1]d/*.sql\"]\nexclude: [\"**/test/**\"]\nprompt: \"RULE %[1]d: {{content_snippet}}\"\n",
	}
	for i := range n {
		write(fmt.Sprintf("rules/rule-%04d.yaml", i), fmt.Sprintf(kinds[i%len(kinds)], i))
	}
	for name, text := range extra {
		write(name, text)
	}
	return dir, &project.Options{CacheDir: b.TempDir(), StateDir: b.TempDir()}
}

func evaluate(b *testing.B, p *project.Project, dir string, want sentinel.Verdict) {
	d, err := p.Evaluate(context.Background(), write(dir, "src/app/main.go"))
	if err != nil || d.Verdict != want {
		b.Fatalf("%v %v %s", d.Verdict, err, d.Reason())
	}
}

// BenchmarkEvaluateNoMatch is the usual call: no rule applies.
func BenchmarkEvaluateNoMatch(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			dir, opts := repository(b, n, nil)
			p := project.Open([]string{dir}, opts)
			for b.Loop() {
				evaluate(b, p, dir, sentinel.VerdictAllow)
			}
		})
	}
}

// BenchmarkEvaluateMatch is a call to which one rule of many applies.
func BenchmarkEvaluateMatch(b *testing.B) {
	const applies = "rules/applies.yaml"
	judges := map[string]tree{
		"builtin": {applies: "trigger: file_write\nscope: [\"src/**\"]\nbackend: builtin\nwhen: content contains \"x\"\nmessage: no\n"},
		"fake":    {applies: "trigger: file_write\nscope: [\"src/**\"]\nbackend: fake\nprompt: \"RULE: {{file_path}} {{content_snippet}}\"\n"},
	}
	for _, judge := range []string{"builtin", "fake"} {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("judge=%s/rules=%d", judge, n), func(b *testing.B) {
				dir, opts := repository(b, n, judges[judge])
				opts.Backends = map[string]func(config.Config) (sentinel.Backend, error){"fake": func(config.Config) (sentinel.Backend, error) {
					return sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
						return sentinel.Response{Text: `{"violation":true,"confidence":1,"reason":"no"}`}, nil
					}), nil
				}}
				p := project.Open([]string{dir}, opts)
				for b.Loop() {
					evaluate(b, p, dir, sentinel.VerdictBlock)
				}
			})
		}
	}
}

// BenchmarkOpen loads the rules: from the compiled form, from YAML, and, to
// compare with, what the YAML library alone takes for the same files.
func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes {
		dir, opts := repository(b, n, nil)
		opts.Now = func() time.Time { return time.Now().Add(time.Hour) } // the files are old enough to be believed
		project.Open([]string{dir}, opts)
		b.Run(fmt.Sprintf("from=compiled/rules=%d", n), func(b *testing.B) {
			for b.Loop() {
				project.Open([]string{dir}, opts)
			}
		})
		b.Run(fmt.Sprintf("from=yaml/rules=%d", n), func(b *testing.B) {
			for b.Loop() {
				project.Open([]string{dir}, nil)
			}
		})
		b.Run(fmt.Sprintf("from=yaml-alone/rules=%d", n), func(b *testing.B) {
			for b.Loop() {
				files, _ := filepath.Glob(filepath.Join(dir, ".claude/sentinel/rules/*"))
				for _, f := range files {
					data, err := os.ReadFile(f)
					if err != nil {
						b.Fatal(err)
					}
					var v map[string]any
					if err := yaml.Unmarshal(data, &v); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

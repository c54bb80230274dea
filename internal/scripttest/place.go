package scripttest

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentsentinel/sentinel/packs"
)

// Recommended writes the recommended rules and a configuration, as init does.
func Recommended(ts *testscript.TestScript, _ bool, _ []string) {
	dir := ts.MkAbs(".claude/sentinel")
	ts.Check(os.MkdirAll(filepath.Join(dir, "rules"), 0o755))
	files, err := packs.Files(packs.Recommended)
	ts.Check(err)
	for _, f := range files {
		ts.Check(os.WriteFile(filepath.Join(dir, "rules", f.Name), f.Data, 0o600))
	}
	ts.Check(os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("backend: builtin\nfail_open: true\nlog_file: .claude/sentinel/sentinel.log\n"), 0o600))
}

// Placed puts the script's folder for $WORK in files:
//
//	placed FILE…
func Placed(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := strings.ReplaceAll(ts.ReadFile(name), "$WORK", filepath.ToSlash(ts.Getenv("WORK")))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// Code puts the code that an agent was told into the variable CODE:
//
//	code FILE
func Code(ts *testscript.TestScript, _ bool, args []string) {
	_, code, found := strings.Cut(ts.ReadFile(args[0]), "sentinel allow ")
	if !found || len(code) < 4 {
		ts.Fatalf("no code in %s", args[0])
	}
	ts.Setenv("CODE", code[:4])
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/pagetest"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// compiled compiles blocks of Go: programs as they are, fragments in a function, after
// what testdata/blocks.yaml says is given.
func compiled(t *testing.T, list []pagetest.Block, given []pagetest.Claim) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		programtest.SkipOnWine(t, "there is no Go")
	}
	root, err := filepath.Abs(top)
	require.NoError(t, err)
	dir, overlay := t.TempDir(), map[string]string{}
	build := exec.Command("go", "build", "-o", os.DevNull)
	build.Dir = root
	for i, b := range list {
		text := b.Text
		if !strings.HasPrefix(text, "package ") {
			var before string
			for _, c := range given {
				if c.Given != "" && c.Fits(&b) {
					before = c.Given
				}
			}
			text = fragment(before, b.Text)
		}
		file := filepath.Join(dir, fmt.Sprintf("block%d.go", i))
		text = fmt.Sprintf("//line %s:%d\n", b.Page, b.Line) + text
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		name := fmt.Sprintf("block%d", i)
		overlay[filepath.Join(root, "internal", name, "main.go")] = file
		build.Args = append(build.Args, "./internal/"+name)
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	name := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	build.Args = slices.Insert(build.Args, 2, "-overlay", name)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

var (
	imported = regexp.MustCompile(`(?m)^import .*\n`)
	defined  = regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :?= `)
)

// fragment makes a program of statements, after declarations. The variables of the
// statements need no use.
func fragment(given, text string) string {
	imports := strings.Join(imported.FindAllString(given, -1), "")
	used := ""
	for _, m := range defined.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			if name != "_" {
				used += "\t_ = " + name + "\n"
			}
		}
	}
	return "package p\n\n" + imports + "\nfunc _() {\n" + imported.ReplaceAllString(given, "") + text + used + "}\n"
}

// Command notice writes NOTICE: the licences of all modules whose code is in the released
// programs, on any platform.
//
// usage: go run ./tools/notice FILE
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	self     = "github.com/agentsentinel/sentinel"
	programs = self + "/cmd/..."
)

//go:generate go run . ../../NOTICE
func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: notice FILE")
		os.Exit(1)
	}
	text, err := notice()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func notice() ([]byte, error) {
	modules, err := linked()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	w.WriteString("The programs of Sentinel contain code of the modules below, under these licences.\n")
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		texts, err := licences(modules[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(&w, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), path, texts)
	}
	return w.Bytes(), nil
}

// linked are the folders of all linked modules by their paths, and of Go itself.
func linked() (map[string]string, error) {
	modules := map[string]string{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", programs)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH=amd64")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && path != self {
				modules[path] = dir
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	modules["The Go standard library"] = strings.TrimSpace(string(root))
	return modules, err
}

// licences are the texts of a module's files of that kind, or what its README says of it.
// A module without either is an error: it may not be given to others.
func licences(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []byte
	for _, e := range entries {
		name, _, _ := strings.Cut(strings.ToUpper(e.Name()), ".")
		name, _, _ = strings.Cut(name, "-")
		if e.IsDir() || !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))...)
		texts = append(texts, "\n\n"...)
	}
	if len(texts) == 0 {
		readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
		_, section, found := strings.Cut(string(readme), "\n## License\n")
		if err != nil || !found {
			return nil, fmt.Errorf("there is no licence in it")
		}
		texts, _, _ = bytes.Cut([]byte(section), []byte("\n#"))
	}
	return append(bytes.TrimSpace(texts), '\n'), nil
}

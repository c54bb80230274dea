// Package pagetest holds pages of the documentation to the tests that they name: a
// statement counts as long as the test that holds it is there.
package pagetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// None is what a row has in the place of a test when no test holds it. It says so to
// the reader.
const None = "none"

// A Page is what [Read] found on a page.
type Page struct {
	Named    int      // places and tests that the page names and that are there
	Without  []string // rows that say [None]
	Problems []string // what the page names and is gone, and rows that name no test
}

var span = regexp.MustCompile("`([^`]+)`")

// Read looks at the tables of the page docs/name, below the root of the repository, whose
// last column has the title column. A span of code there is a file or a folder, or a
// test of the folder before it: TestName, or TestName/case where the file of that test
// has "case" as a string. Each row has to name a file or a test, or say [None].
func Read(root, name, column string) (*Page, error) {
	data, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	p := &Page{}
	lines := slices.Collect(strings.Lines(string(data)))
	held := false
	for i, line := range lines {
		cell, ok := lastCell(line)
		switch {
		case !ok:
			held = false
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|--"):
			held = cell == column
		case strings.HasPrefix(line, "|--"):
		case held && cell == None:
			p.Without = append(p.Without, line)
		case held:
			p.row(root, cell, line)
		}
	}
	return p, nil
}

// lastCell is that of a row of a table.
func lastCell(line string) (cell string, ok bool) {
	cells := strings.Split(strings.TrimSpace(line), "|")
	if len(cells) < 3 || cells[0] != "" {
		return "", false
	}
	return strings.TrimSpace(cells[len(cells)-2]), true
}

// row reads a cell.
func (p *Page) row(root, cell, line string) {
	dir, found := "", false
	for _, m := range span.FindAllStringSubmatch(cell, -1) {
		name := m[1]
		found = true
		var err error
		if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
			err = hasTest(root, dir, name)
		} else if info, statErr := os.Stat(filepath.Join(root, filepath.FromSlash(name))); statErr != nil {
			err = statErr
		} else if info.IsDir() {
			dir = name
		}
		if err != nil {
			p.Problems = append(p.Problems, fmt.Sprintf("%v: %s", err, line))
			continue
		}
		p.Named++
	}
	if !found {
		p.Problems = append(p.Problems, "no test is named: "+line)
	}
}

// hasTest looks for a test, and for one of its cases, in a folder.
func hasTest(root, dir, name string) error {
	name, of, _ := strings.Cut(name, "/")
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), "\nfunc "+name+"(") {
			continue
		}
		if of != "" && !hasCase(string(text), of) {
			return fmt.Errorf("%s of %s has no case %q", name, file, of)
		}
		return nil
	}
	return fmt.Errorf("%q has no %s", dir, name)
}

// hasCase reports whether a file of tests has the name of a case, as a string or as a
// line of a list.
func hasCase(text, name string) bool {
	return strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "\n"+name+"\n")
}

package pagetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Claim says of blocks who checks them, or why a part of them cannot be. Which blocks
// those are, the first fields say together: each that is not empty has to fit.
type Claim struct {
	Page    string // a pattern of path.Match
	Heading string // the heading above the block
	Kind    string
	Marker  string // how the comment above the block begins
	Begins  string // how its first line begins

	Command string // how the one command begins that is meant; "" means the whole block

	Test   string // the folder and the test that checks them, or ".ci/run" and its step
	Why    string // they cannot be run, and why
	Golden string // the file that has each line of theirs, in this order
	Given  string // what a fragment of Go needs to compile: imports, or declarations
	Status string // the exit status of the command, where the page does not show it
}

// Claims reads the list in a file.
func Claims(file string) (list []Claim, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", file, i+1, err)
		}
	}
	return list, nil
}

func (c *Claim) check() error {
	said := 0
	for _, text := range []string{c.Test, c.Why, c.Golden, c.Given, c.Status} {
		if text != "" {
			said++
		}
	}
	switch {
	case c.Page == "":
		return errors.New("it names no page")
	case said != 1:
		return errors.New("it needs one of test, why, golden, given and status")
	case c.Status != "" && c.Command == "":
		return errors.New("a status is one of a command")
	}
	_, err := path.Match(c.Page, "")
	return err
}

// Fits reports whether a claim is about a block.
func (c *Claim) Fits(b *Block) bool {
	page, err := path.Match(c.Page, b.Page)
	return err == nil && page && (c.Heading == "" || c.Heading == b.Heading) && (c.Kind == "" || c.Kind == b.Kind) &&
		(c.Marker == "" || strings.HasPrefix(b.Marker, c.Marker)) && strings.HasPrefix(b.Begins(), c.Begins) && (c.Command == "" || c.names(b) != "")
}

// names is the command of a block that a claim is about.
func (c *Claim) names(b *Block) string {
	for _, cmd := range b.Commands() {
		if strings.HasPrefix(cmd.Line, c.Command) {
			return cmd.Line
		}
	}
	return ""
}

// Exists looks for the test that a claim names, below the root of the repository.
func (c *Claim) Exists(root string) error {
	dir, name, ok := strings.Cut(c.Test, " ")
	if !ok {
		return fmt.Errorf("%q is not a folder and a test", c.Test)
	}
	if dir != ".ci/run" {
		return hasTest(root, dir, name)
	}
	text, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err == nil && !strings.Contains(string(text), "\nstep_"+name+"() {") {
		err = fmt.Errorf(".ci/run has no step %s", name)
	}
	return err
}

// Command secrets compares package secret with gitleaks as a library, on the
// cases of package secret:
//
//	cd bench/secrets && go run .
//
// For each tool it prints how many of the marked secrets it finds (recall), how
// much of what it finds is marked (precision), and how long it takes, first to
// be ready and then for ordinary text. -v lists what each one missed and what it
// found wrongly. Package secret was developed on these cases, so its own numbers
// only show that they hold; what the other tool finds beyond them is the news.
//
// It is a module of its own, so that what gitleaks needs never reaches the
// importers of Sentinel.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/agentsentinel/sentinel/internal/secret"
)

// A tool returns the texts that it takes for secrets.
type tool struct {
	name string
	find func(text string) []string
}

type testCase struct {
	line       int
	kind, text string
	want       []string
}

func main() {
	cases := flag.String("cases", filepath.Join("..", "..", "secret", "testdata"), "folder of cases.txt and ordinary.txt")
	verbose := flag.Bool("v", false, "list every miss and every wrong find")
	flag.Parse()
	if err := compare(*cases, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "secrets:", err)
		os.Exit(1)
	}
}

func compare(dir string, verbose bool) error {
	content, err := os.ReadFile(filepath.Join(dir, "cases.txt"))
	if err != nil {
		return err
	}
	cases, err := parse(string(content))
	if err != nil {
		return err
	}
	ordinary, err := os.ReadFile(filepath.Join(dir, "ordinary.txt"))
	if err != nil {
		return err
	}
	text := strings.Repeat(string(ordinary), 1e6/len(ordinary)+1)[:1e6]

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "tool\trecall\tprecision\twrong finds\tready after\t1 MB ordinary text")
	for _, open := range []func() (tool, error){sentinel, gitleaks} {
		start := time.Now()
		t, err := open()
		if err != nil {
			return err
		}
		t.find("") // tables that are built at first use count as getting ready
		ready := time.Since(start)
		s := measure(t, cases, verbose)
		start = time.Now()
		t.find(text)
		fmt.Fprintf(w, "%s\t%d of %d (%.1f %%)\t%.1f %%\t%d\t%v\t%v\n", t.name, s.found, s.marked, 100*float64(s.found)/float64(s.marked),
			100*float64(s.found)/float64(max(s.found+s.wrong, 1)), s.wrong, ready.Round(time.Microsecond), time.Since(start).Round(time.Microsecond))
	}
	return w.Flush()
}

func sentinel() (tool, error) {
	return tool{"sentinel", func(text string) []string {
		var found []string
		for _, f := range secret.Find(text) {
			found = append(found, text[f.Start:f.End])
		}
		return found
	}}, nil
}

func gitleaks() (tool, error) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return tool{}, err
	}
	return tool{"gitleaks", func(text string) []string {
		var found []string
		for _, f := range d.DetectString(text) {
			found = append(found, f.Secret)
		}
		return found
	}}, nil
}

type score struct{ marked, found, wrong int }

// measure counts a marked secret as found when a find overlaps it, and a find as
// wrong when it overlaps no marked secret.
func measure(t tool, cases []testCase, verbose bool) score {
	var s score
	note := func(what string, c testCase, value string) {
		if verbose {
			fmt.Printf("%s %s: line %d %s: %q\n", t.name, what, c.line, c.kind, value)
		}
	}
	for _, c := range cases {
		found := t.find(c.text)
		for _, want := range c.want {
			s.marked++
			if overlaps(want, found) {
				s.found++
			} else {
				note("missed", c, want)
			}
		}
		for _, f := range found {
			if !overlaps(f, c.want) {
				s.wrong++
				note("wrong", c, f)
			}
		}
	}
	return s
}

func overlaps(value string, others []string) bool {
	for _, o := range others {
		if strings.Contains(o, value) || strings.Contains(value, o) {
			return true
		}
	}
	return false
}

// parse reads cases.txt; its head explains the form.
func parse(content string) ([]testCase, error) {
	var cases []testCase
	n := 0
	for line := range strings.Lines(content) {
		n++
		if strings.HasPrefix(line, "#") {
			continue
		}
		_, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		kind, text, ok := strings.Cut(rest, " ")
		if !ok {
			return nil, fmt.Errorf("cases.txt:%d: want sign, kind and text", n)
		}
		text = strings.NewReplacer("⏎", "\n", "¦", "").Replace(text)
		c := testCase{line: n, kind: kind, text: strings.NewReplacer("«", "", "»", "").Replace(text)}
		for _, piece := range strings.Split(text, "«")[1:] {
			value, _, _ := strings.Cut(piece, "»")
			c.want = append(c.want, value)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

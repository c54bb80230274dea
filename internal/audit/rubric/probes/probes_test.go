// Package probes holds the embedded rubrics against those who run them. It has a
// folder of its own because that links every grammar.
package probes

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// TestEmbeddedProbesCompile asks those who run probes what is wrong with them.
func TestEmbeddedProbesCompile(t *testing.T) {
	t.Parallel()
	for _, name := range rubric.Names() {
		r, err := rubric.Embedded(name)
		require.NoError(t, err)
		require.Empty(t, r.Lint(repo.Check), name)
	}
}

// TestEmbeddedProbesFind runs each ast probe of the embedded rubrics on a sample
// with what it has to find, and with what only looks like it.
func TestEmbeddedProbesFind(t *testing.T) {
	t.Parallel()
	for _, name := range rubric.Names() {
		r, err := rubric.Embedded(name)
		require.NoError(t, err)
		samples := readSamples(t, name)
		for i := range r.Probes {
			p := &r.Probes[i]
			if p.Type != rubric.TypeAST {
				continue
			}
			file, ok := samples[p.ID]
			require.True(t, ok, "%s: no sample for the probe %s", name, p.ID)
			delete(samples, p.ID)
			t.Run(name+"/"+p.ID, func(t *testing.T) { checkSample(t, p, file) })
		}
		require.Empty(t, samples, "%s: samples for probes that are not there", name)
	}
}

// TestEmbeddedTextProbes holds regular expressions against lines, those that they have to find
// and those that only look like them.
func TestEmbeddedTextProbes(t *testing.T) {
	t.Parallel()
	r, err := rubric.Embedded("general")
	require.NoError(t, err)
	for probe, lines := range map[string]map[string]bool{
		"packages.pinned": {
			"pip install tox": true, "pip install tox tox-uv": true, "python -m pip install -U build>=1": true, "pip3 install black[jupyter]": true,
			`pip install "urllib3<2"`: true, "pip install 'a==1'": false, "pip install --force-reinstall --upgrade pip": true, "pip install --no-deps -r a.txt": false,
			"pip install build==1.4.0": false, "pip install a-b[c]==1": false, "pip install -r requirements.txt": false, "pip install .": false,
			"npm install -g npm@latest": true, "npm i left-pad": true, "npm install @scope/a": true, "npm install @scope/a@1.2.3": false, "npm install -g npm@10.1.0": false, "npm install": false, "npm ci": false,
			"go install a.example/b@latest": true, "go install a.example/b@v1.2.3": false, "curl -sSf https://a.example | sh": true, "curl -o x https://a.example": false,
		},
		"sbom.workflow": {
			"syft packages": true, "syft -o spdx-json": true, "echo SPDX": true, "anchore/sbom-action@v0": true, "cyclonedx-gomod": true,
			"x # SPDX-License-Identifier: MIT": false, "echo spdxes": false,
		},
	} {
		expr := regexp.MustCompile("(?m)" + r.Probe(probe).Regex)
		for line, want := range lines {
			require.Equal(t, want, expr.MatchString("steps:\n  - run: "+line+"\n  - run: make\n"), "%s: %s", probe, line)
		}
	}
}

// TestTestsAreRunByAService: what people run by hand, as a target of make, is no step of a workflow;
// a workflow that calls the target is.
func TestTestsAreRunByAService(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{"general": "make ci", "go": "make test", "python": "make ci", "rust": "just test", "typescript": "npm test"} {
		r, err := rubric.Embedded(name)
		require.NoError(t, err)
		p := r.Probe("ci.tests")
		files, err := rubric.CompilePatterns(p.Files.Include)
		require.NoError(t, err)
		for path, want := range map[string]bool{
			".github/workflows/ci.yml": true, "Jenkinsfile": true, "Makefile": false, "tox.ini": false, "noxfile.py": false, "justfile": false, "Taskfile.yml": false, "package.json": false,
		} {
			_, is := files.Match(path)
			require.Equal(t, want, is, "%s: %s", name, path)
		}
		require.Regexp(t, p.Regex, "      - run: "+step, name)
	}
}

// readSamples returns the samples for a rubric by the id of the probe.
func readSamples(t *testing.T, name string) map[string]txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	samples := map[string]txtar.File{}
	for _, f := range archive.Files {
		samples[strings.TrimSuffix(f.Name, filepath.Ext(f.Name))] = f
	}
	return samples
}

func checkSample(t *testing.T, p *rubric.Probe, file txtar.File) {
	query, err := syntax.Compile(p)
	require.NoError(t, err)
	lang := syntax.Language(file.Name)
	require.Contains(t, query.Languages(), lang)
	result := query.Find(context.Background(), syntax.File{Path: file.Name, Lang: lang, Source: file.Data})
	require.NoError(t, result.Err)
	require.False(t, result.Broken, "the sample has syntax errors")
	var want, got []int
	for i, line := range strings.Split(string(file.Data), "\n") {
		if strings.HasSuffix(line, "# hit") || strings.HasSuffix(line, "// hit") {
			want = append(want, i+1)
		}
	}
	for _, h := range result.Hits {
		got = append(got, h.First)
	}
	require.NotEmpty(t, want, "the sample has nothing to find")
	require.Equal(t, want, slices.Compact(got), "lines with a hit")
}

// Package audit puts a repository, documents about it, or both on trial.
//
// Detectives collect facts without a model: files, syntax trees, history,
// dependencies, secrets, terms and paths in documents. Three judges (a Prosecutor,
// a Defense and a Tech Lead) give opinions on those facts, criterion by criterion
// of a rubric. The Chief Justice is code: it turns opinions and facts into
// verdicts. [Run] does all of it and returns a [Report].
//
//	report, err := audit.Run(ctx, audit.Options{Repository: "."})
//
// finds facts alone. With judges there are verdicts, too:
//
//	model := audit.Model{Name: "ollama", Backend: backend, Model: "gemma3:12b"}
//	report, err := audit.Run(ctx, audit.Options{
//		Repository: "https://github.com/owner/name",
//		Documents:  []string{"report.pdf"},
//		Rubric:     "go",
//		Judges:     audit.OneModel(model),
//		Folder:     "audit-run",
//	})
//	...
//	err = audit.Write(os.Stdout, audit.Markdown, report)
//
// # Safety
//
// Everything that is audited is hostile. No code of a repository is executed:
// it is cloned with the git in the PATH (2.45.1 or newer, or an older line with the
// same mends, from 2.39.4 on), a local folder too,
// and uncommitted changes are not audited. A judge sees evidence inside a fence,
// never prompt injection, and its answer has no effect except as a score with
// citations. The strings of a report are hostile text; [Write] shows them as
// text in every format.
//
// # Failures
//
// A stage that fails is in [Report].Failures, and its evidence has the outcome
// [Error]; the other stages go on. A judge without a usable answer has an
// [Opinion] with Err. So a report always says what was not examined, and Run
// returns an error only for wrong options and when ctx ends.
//
// The command sentinel-audit is made of the same parts. docs/audit describes
// rubrics, probes, judges, the rules of the Chief Justice and the report.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
)

// Options say what to audit, by which rubric, and who judges. Repository or
// Documents is required; everything else has a default.
type Options struct {
	Repository string   // https URL or local folder; "" audits documents alone
	Documents  []string // files in PDF, Markdown or text

	// Rubric is one of [Rubrics], or the path of a file. "" chooses one of
	// [Rubrics] by what the repository is. With RubricText, Rubric is only the
	// name in messages and reports.
	Rubric     string
	RubricText []byte // YAML or JSON; nil means none

	// Judges are the models of the judges. Without any, there are facts and no
	// verdicts. A judge without a model gives no opinion.
	Judges  map[Judge]Model
	Samples int   // opinions of each judge on each criterion; 0 means 1
	Seed    int64 // decides the order in which judges see evidence

	// Vision looks at diagrams in documents; the zero value looks at none.
	Vision Model

	// Parallel bounds the simultaneous calls of a backend, by the name in
	// [Model]; 0 means 4.
	Parallel map[string]int
	// Price returns the price of a million tokens of a model in US dollars; nil
	// leaves the costs of the report at 0.
	Price func(model string) (input, output float64)

	// Folder keeps evidence and opinions: a later run with the same folder asks
	// only for missing ones. It must not be part of the audited repository.
	// "" keeps nothing.
	Folder string
	// CacheDir keeps the compiled code of the PDF reader, which takes some
	// seconds to make. "" keeps nothing.
	CacheDir string
	// PDFReader is a program with arguments that calls [ReadPDF], usually this
	// program with an argument of its own. Documents are read in that process,
	// which a hostile one cannot leave. nil leaves PDF unread, and reads the
	// other formats in this process.
	PDFReader []string

	AllowPrivate bool // clone from private and loopback hosts too
	NoFsck       bool // accept repositories with malformed objects, as old ones have

	Version  string            // of the caller, for the report
	Now      func() time.Time  // nil means time.Now
	Progress func(Progress)    // nil, or called from several goroutines at once
	Warn     func(text string) // nil, or called with warnings that change no result
}

// ErrOptions is wrapped by the error of [Run] for options without a repository
// and documents.
var ErrOptions = trial.ErrCase

// Run audits. It is safe for concurrent use, except with the same Folder. The
// error wraps [ErrOptions], is a [*RubricError] or says which rubric could not
// be read, or wraps that of ctx.
func Run(ctx context.Context, o Options) (*Report, error) {
	rb, err := openRubric(&o)
	if err != nil {
		return nil, err
	}
	if o.Folder != "" {
		if err := os.MkdirAll(o.Folder, 0o700); err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
	}
	return trial.Run(ctx, trial.Case{Repo: o.Repository, Documents: o.Documents, Rubric: rb}, &trial.Options{
		Program: o.Version, Now: o.Now, Judges: o.Judges, Vision: o.Vision, Samples: o.Samples, Seed: o.Seed,
		Parallel: o.Parallel, AllowPrivate: o.AllowPrivate, NoFsck: o.NoFsck, Reader: o.PDFReader,
		CacheDir: o.CacheDir, Folder: o.Folder, Price: o.Price, Progress: o.Progress, Warn: o.Warn,
	})
}

// openRubric returns nil where the rubric is to be chosen.
func openRubric(o *Options) (*rubric.Rubric, error) {
	if o.Rubric == "" && o.RubricText == nil {
		return nil, nil
	}
	name := o.Rubric
	if name == "" {
		name = "rubric"
	}
	rb, problems, err := trial.OpenRubric(name, o.RubricText)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(problems, func(p rubric.Problem) bool { return p.Error }) {
		return nil, &RubricError{Name: name, Problems: problems}
	}
	for _, p := range problems {
		if o.Warn != nil {
			o.Warn(p.In(name))
		}
	}
	return rb, nil
}

// Rubrics lists the rubrics that come with the package.
func Rubrics() []string { return rubric.Names() }

// OneModel lets one model speak for all three judges.
func OneModel(m Model) map[Judge]Model {
	return map[Judge]Model{Prosecutor: m, Defense: m, TechLead: m}
}

// The formats of [Write].
const (
	Markdown = report.FormatMarkdown
	JSON     = report.FormatJSON // the only one that [Read] reads
	SARIF    = report.FormatSARIF
	HTML     = report.FormatHTML
)

// Write writes the report in a format: md, json, sarif or html.
func Write(w io.Writer, format string, r *Report) error {
	if r == nil {
		return errors.New("audit: no report")
	}
	return report.Render(w, format, r)
}

// Read reads a report in the format [JSON], of at most 256 MB. The error says why
// it is not one; a newer version of the format is an error too.
func Read(r io.Reader) (*Report, error) {
	record, err := report.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return record, nil
}

// ReadPDF reads one document for [Options].PDFReader and returns the exit status
// of the process: a main function calls os.Exit(audit.ReadPDF(os.Stdin, os.Stdout))
// before everything else.
func ReadPDF(in io.Reader, out io.Writer) int { return document.ChildMain(in, out) }

package scribe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
)

// ErrTooMany says that there are more documents than Learn reads.
var ErrTooMany = errors.New("there are too many documents")

// learnedFile records which parts of documents were asked about.
const learnedFile = "learned.jsonl"

// A learned is a part of a document that was asked about.
type learned struct {
	Digest   string    `json:"digest"`
	Document string    `json:"document"`
	Time     time.Time `json:"ts"`
}

// A section is a part of a document that is to be asked about.
type section struct {
	document, text, digest string
}

// maxSilence is the number of failures in a row after which Learn stops: the model is
// not available.
const maxSilence = 3

// Learn reads the documents of the repository for conventions, keeps them as
// observations, and writes drafts for the ones with enough confidence.
//
// A part of a document that was asked about before, by the same model with the
// same guidance, is not asked about again. So the next run continues a stopped one:
// progress is recorded part by part. An error that wraps [sentinel.ErrBusy] says that
// another process is learning; one that wraps [ErrTooMany] that the first documents
// were read. Other errors name the parts that could not be asked about, after all
// others were; the next run tries them again.
func Learn(ctx context.Context, opts *Options) (Result, error) {
	o := opts.filled()
	r, err := o.newRun()
	if err != nil {
		return Result{Drafts: []string{}}, err
	}
	done, taken := state.NewLocks(filepath.Join(o.stateDir(), "locks")).Try("learn")
	defer done()
	if !taken {
		return r.result, fmt.Errorf("scribe: %w: another process is learning from the documents", sentinel.ErrBusy)
	}
	todo, tooMany, err := r.todo()
	if err != nil {
		return r.result, err
	}
	l := &learning{run: r, todo: todo}
	err = errors.Join(l.ask(ctx), ctx.Err())
	if ctx.Err() == nil {
		err = errors.Join(err, l.write(ctx))
	}
	if tooMany {
		err = errors.Join(err, fmt.Errorf("scribe: %w: the first %d were read; make `scribe.doc_globs` narrower", ErrTooMany, r.result.Documents))
	}
	return r.result, err
}

// todo lists the parts of documents that were not asked about.
func (r *run) todo() (list []section, tooMany bool, err error) {
	names, tooMany, err := r.documents()
	if err != nil {
		return nil, false, err
	}
	asked, err := r.asked()
	if err != nil {
		return nil, false, err
	}
	r.result.Documents = len(names)
	for _, name := range names {
		content, err := r.readDocument(name)
		if err != nil {
			r.Logger.Warn("scribe: a document cannot be read", "document", name, "error", err)
			continue
		}
		for _, part := range sections(content, r.Budget) {
			s := section{document: name, text: text.Clean(part)}
			s.digest = digestOf(s.text, r.ExtractionModel, r.Guidance)
			if asked[s.digest] {
				r.result.Unchanged++
				continue
			}
			asked[s.digest] = true // the same part in two documents is asked about once
			list = append(list, s)
		}
	}
	return list, tooMany, nil
}

// asked are the digests of the parts that were asked about.
func (r *run) asked() (map[string]bool, error) {
	asked := map[string]bool{}
	err := eachLine(filepath.Join(r.stateDir(), learnedFile), func(line []byte) {
		var l learned
		if json.Unmarshal(line, &l) == nil && l.Digest != "" {
			asked[l.Digest] = true
		}
	})
	return asked, err
}

// A learning is one run of Learn with its progress.
type learning struct {
	*run
	todo  []section
	done  int
	total int
	at    string
}

func (l *learning) tell() {
	if l.Progress != nil {
		l.Progress(Progress{Document: l.at, Done: l.done, Total: max(l.total, l.done)})
	}
}

// ask asks the model about each part.
func (l *learning) ask(ctx context.Context) error {
	l.total = len(l.todo)
	var errs []error
	silent := 0
	for i := range l.todo {
		s := &l.todo[i]
		l.at = s.document
		l.tell()
		err := l.section(ctx, s)
		l.done++
		switch {
		case ctx.Err() != nil:
			return nil // the caller returns the context's error
		case err == nil:
			silent = 0
			continue
		case errors.Is(err, sentinel.ErrMalformed):
			silent = 0
		default:
			silent++
		}
		errs = append(errs, fmt.Errorf("%s: %w", documentName(s.document), err))
		if silent == maxSilence || errors.Is(err, sentinel.ErrRefused) {
			errs = append(errs, fmt.Errorf("scribe: %s of %d parts have no answer; run it again when the model answers", strconv.Itoa(len(l.todo)-l.result.Sections), len(l.todo)))
			break
		}
	}
	return errors.Join(errs...)
}

// section asks the model about one part of a document and keeps the proven conventions.
func (l *learning) section(ctx context.Context, s *section) error {
	found, resp, err := l.extract(ctx, question{task: documentTask, label: "document", text: s.text})
	l.paid(resp)
	if err != nil {
		return err
	}
	l.result.Sections++
	shown := quotation(s.text)
	for _, c := range found {
		ob, ok := l.prove(c, resp.Model)
		if !ok {
			continue
		}
		if quote := quotation(c.Evidence); !enough(quote) || !strings.Contains(shown, quote) {
			l.drop(&l.result.Unproven, c, "its evidence does not stand in the document")
			continue
		}
		ob.Source, ob.Document = Documentation, sentence(s.document, maxHint)
		if err := l.keep(ctx, ob); err != nil {
			return err
		}
		if ob.Confidence < l.DraftConfidence {
			l.result.Weak++
		}
	}
	return appendLines(filepath.Join(l.stateDir(), learnedFile), []learned{{Digest: s.digest, Document: s.document, Time: l.Now().UTC()}})
}

// write writes the drafts.
func (l *learning) write(ctx context.Context) error {
	waiting, err := l.pending()
	if err != nil {
		return err
	}
	l.at = ""
	l.total = l.done + len(waiting)
	l.tell()
	return l.draftAll(ctx, func() { l.done++; l.tell() })
}

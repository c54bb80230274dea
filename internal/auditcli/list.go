package auditcli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// listed is the result of one repository of a list.
type listed struct {
	Repo    string         `json:"repo"` // without credentials
	Verdict audit.Verdict  `json:"verdict,omitempty"`
	Score   *float64       `json:"score,omitempty"` // on the scale of the rubric; not there without a verdict
	Gate    *audit.Gate    `json:"gate,omitempty"`
	Facts   map[string]int `json:"facts,omitempty"` // probes of the rubric, by outcome, and how many were observed, noted or waived
	Reports []string       `json:"reports,omitempty"`
	Err     string         `json:"error,omitempty"`
	lost    bool           // the report could not be written
}

// readList returns the repositories in a file, one a line, each once.
func readList(env *command.Env, path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var repos []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := strings.TrimSpace(lines.Text()); {
		case line == "" || strings.HasPrefix(line, "#"):
		case slices.Contains(repos, line):
			complain(env, path+" names "+repo.Shown(line)+" twice: it is audited once")
		default:
			repos = append(repos, line)
		}
	}
	if lines.Err() == nil && len(repos) == 0 {
		return nil, fmt.Errorf("%s names no repository: write one a line", path)
	}
	return repos, lines.Err()
}

// auditList audits the repositories of a list, several at once. One that fails
// leaves the others.
func (a *auditor) auditList(ctx context.Context, repos []string) error {
	line := a.progress("audits", len(repos))
	line.At(0)
	results := make([]listed, len(repos))
	records := make([]*audit.Record, len(repos))
	var mu sync.Mutex // of done
	done := 0
	var group errgroup.Group
	group.SetLimit(a.flags.parallel)
	for i, target := range repos {
		group.Go(func() error {
			results[i], records[i] = a.auditListed(ctx, target)
			mu.Lock()
			defer mu.Unlock()
			done++
			line.At(done, results[i].Repo)
			return nil
		})
	}
	_ = group.Wait() // each has its own
	line.End()
	for i, r := range records {
		if r != nil {
			a.folder.took(r, results[i].lost)
		}
	}
	if ctx.Err() != nil {
		return a.stopped(ctx, ctx.Err())
	}
	if err := a.printList(results); err != nil {
		return err
	}
	a.printFolder()
	return a.listStatus(results)
}

// auditListed audits one repository of a list and writes its report.
func (a *auditor) auditListed(ctx context.Context, target string) (listed, *audit.Record) {
	l := listed{Repo: repo.Shown(target)}
	o := a.options
	record, err := trial.Run(ctx, trial.Case{Repo: target, Rubric: a.rubric}, &o)
	if err != nil {
		l.Err = err.Error()
		return l, nil
	}
	l.Gate, l.Facts = &record.Gate, outcomes(record)
	if len(record.Results) > 0 {
		l.Verdict = record.Overall.Verdict
	}
	if record.Overall.Counted > 0 {
		l.Score = &record.Overall.Score
	}
	for _, f := range record.Failures {
		if l.Err == "" && examination(f) {
			l.Err = f.Err
		}
	}
	if failed := unexamined(record); l.Err == "" && len(failed) > 0 {
		l.Err = failed[0].Probe + ": " + failed[0].Summary
	}
	l.Reports, err = a.write(record)
	if err != nil {
		l.lost, l.Err = true, err.Error()
	}
	return l, record
}

// outcomes counts the outcomes of the rubric's probes. As in a report, what is observed, noted
// without being expected, or waived is neither true nor false.
func outcomes(r *audit.Record) map[string]int {
	n, noted := map[string]int{}, map[string]bool{}
	for _, p := range r.Probes {
		noted[p.ID] = p.Expected == ""
	}
	for i := range r.Evidence {
		switch e := &r.Evidence[i]; {
		case e.Part || len(e.Criteria) == 0:
		case e.Kind == audit.KindObserved && e.Outcome.Fact():
			n["observed"]++
		case e.Waived != "":
			n["waived"]++
		case e.Outcome == audit.True && noted[e.Probe]:
			n["noted"]++
		default:
			n[e.Outcome.String()]++
		}
	}
	return n
}

// printList writes the result of each repository.
func (a *auditor) printList(results []listed) error {
	if a.flags.asJSON {
		e := json.NewEncoder(a.env.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(results)
	}
	table := tabwriter.NewWriter(a.env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "REPOSITORY\tVERDICT\tSCORE\tGATE\tFACTS\tREPORT")
	for i := range results {
		fmt.Fprintln(table, results[i].row())
	}
	return table.Flush()
}

func (l *listed) row() string {
	if l.Err != "" {
		return strings.Join([]string{text.OneLine(l.Repo), "error", "-", "-", "-", text.OneLine(l.Err)}, "\t")
	}
	verdict, score, path := "-", "-", "-"
	if l.Verdict != "" {
		verdict = string(l.Verdict)
	}
	if l.Score != nil {
		score = fmt.Sprintf("%.2f", *l.Score)
	}
	if len(l.Reports) > 0 {
		path = l.Reports[0]
	}
	facts := fmt.Sprintf("%d hold, %d do not", l.Facts[audit.True.String()], l.Facts[audit.False.String()])
	return strings.Join([]string{text.OneLine(l.Repo), verdict, score, l.Gate.State(), facts, text.OneLine(path)}, "\t")
}

func (a *auditor) listStatus(results []listed) error {
	status := exit.OK
	for i := range results {
		switch l := &results[i]; {
		case l.Err != "" || a.flags.gate && l.Gate.State() == "undecided":
			status = exit.Error
		case a.flags.gate && l.Gate.State() == "failed" && status == exit.OK:
			status = exit.Block
		}
	}
	if status == exit.OK {
		return nil
	}
	return exit.Status(status)
}

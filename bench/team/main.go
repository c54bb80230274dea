// Command team loads one judge as a team does: 200 developers, each with 20 calls a minute
// that a model has to judge, against a scripted server on loopback. Each call opens
// the project again and has its developer's own state, as a hook process does; the start of
// a process is not in it.
//
// It prints a table of what became of the calls, of their times and of what the server
// saw, and fails if a call has no decision, no record, or an answer that no caller got.
//
// usage: team [-developers 200] [-calls 20] [-minute 60s] [-only N]
//
// A -minute of 10s has the calls of a minute come in ten seconds.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// A phase is a server, and what happens to it.
type phase struct {
	name         string
	slots, queue int
	answer       time.Duration
	deadline     int  // ms
	outage       bool // in the second quarter of the minute it refuses
}

var phases = []phase{
	{name: "enough: 32 at a time, 200 ms each", slots: 32, queue: 1000, answer: 200 * time.Millisecond, deadline: 5000},
	{name: "too little, a long queue: 8 at a time", slots: 8, queue: 1000, answer: 200 * time.Millisecond, deadline: 5000},
	{name: "too little, a queue of 16, then 429", slots: 8, queue: 16, answer: 200 * time.Millisecond, deadline: 5000},
	{name: "enough, gone for a quarter of the time", slots: 32, queue: 1000, answer: 200 * time.Millisecond, deadline: 5000, outage: true},
}

type load struct {
	developers, calls int
	minute            time.Duration
	only              int
	dir               string
}

func main() {
	l := load{}
	flag.IntVar(&l.developers, "developers", 200, "how many developers")
	flag.IntVar(&l.calls, "calls", 20, "calls of each in a minute")
	flag.DurationVar(&l.minute, "minute", time.Minute, "how long that minute lasts, at most 10m")
	flag.IntVar(&l.only, "only", 0, "the one server of the table, from 1; 0 means all")
	flag.Parse()
	if err := l.run(); err != nil {
		fmt.Fprintln(os.Stderr, "team:", err)
		os.Exit(1)
	}
}

func (l *load) run() (err error) {
	if l.developers < 1 || l.calls < 1 || l.developers*l.calls > 100_000 || l.minute <= 0 || l.minute > 10*time.Minute {
		return errors.New("a load is of 1 to 100,000 calls and lasts 10 minutes at most")
	}
	fmt.Printf("%d developers, %d calls each in %s\n\n", l.developers, l.calls, l.minute)
	fmt.Println("| server | calls | judged | busy | left alone | too late | gone | p50 | p95 | p99 | questions | refused | tokens | lost |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for i, p := range phases {
		if l.only != 0 && l.only != i+1 {
			continue
		}
		if l.dir, err = os.MkdirTemp("", "sentinel-team-"); err != nil {
			return err
		}
		err = errors.Join(l.phase(p), os.RemoveAll(l.dir))
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// A call is what became of one.
type call struct {
	took     time.Duration
	decision sentinel.Decision
	err      error
}

func (l *load) phase(p phase) error {
	keys := map[string]bool{}
	for i := range l.developers {
		keys["Bearer "+key(i)] = true
	}
	s := newServer(p.slots, p.queue, p.answer, 1, keys)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: s}
	go web.Serve(listener)
	defer web.Close()
	if p.outage {
		down := time.AfterFunc(l.minute/4, func() { s.down.Store(true) })
		up := time.AfterFunc(l.minute/2, func() { s.down.Store(false) })
		defer down.Stop()
		defer up.Stop()
	}
	calls := make([]call, l.developers*l.calls)
	var wg sync.WaitGroup
	began := time.Now()
	for developer := range l.developers {
		repo, err := l.repository(developer, "http://"+listener.Addr().String(), p.deadline)
		if err != nil {
			return err
		}
		wg.Go(func() {
			every := l.minute / time.Duration(l.calls)
			for i := range l.calls {
				at := every*time.Duration(i) + every*time.Duration(developer)/time.Duration(l.developers)
				time.Sleep(time.Until(began.Add(at)))
				calls[developer*l.calls+i] = judge(repo, developer, i)
			}
		})
	}
	wg.Wait()
	return l.report(p, s, calls)
}

func key(developer int) string { return fmt.Sprintf("key-%d", developer) }

// repository is a developer's checkout: one rule that a model judges.
func (l *load) repository(developer int, url string, deadline int) (string, error) {
	dir := filepath.Join(l.dir, fmt.Sprint(developer))
	folder := filepath.Join(dir, "user") // the developer's own configuration, which is trusted: a key is sent for no other
	files := map[string]string{
		"config.yaml": fmt.Sprintf("backend: openai\nbackends: {openai: {base_url: %s/v1, model: team}}\ntimeout_ms: %d\nbreaker: {pause_s: 5}\n"+
			"budget: {paid_calls_per_day: 0}\npricing: {team: {input: 1, output: 2}}\nlog_file: log.jsonl\n", url, deadline),
		"rules/docs.yaml": "trigger: file_write\nscope: [\"docs/**\"]\nprompt: |\n  FILE: {{file_path}}\n  CONTENT: {{content_snippet}}\n  RULE: Documentation is written in plain words.\n",
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// judge is one hook call: it opens the project, as a process of its own does.
func judge(repo string, developer, i int) call {
	began := time.Now()
	p := project.Open([]string{repo}, &project.Options{
		UserDir: filepath.Join(repo, "user"), StateDir: filepath.Join(repo, "state"),
		Getenv: func(name string) string {
			return map[string]string{"OPENAI_API_KEY": key(developer)}[name]
		},
	})
	event := sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "team", Dir: repo, Session: "s", Actions: []sentinel.Action{{
			Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Path: filepath.Join(repo, "docs", fmt.Sprint(i, ".md")), Content: fmt.Sprintf("Page %d of %d.\n", i, developer),
		}},
	}
	d, err := p.Evaluate(context.Background(), event)
	took := time.Since(began)
	return call{took, d, cmp.Or(err, p.Record(event, d))}
}

// report prints a row and says what was lost.
func (l *load) report(p phase, s *server, calls []call) error {
	count := map[string]int{}
	var times []time.Duration
	var why error
	for _, c := range calls {
		times = append(times, c.took)
		kind, err := outcome(&c)
		count[kind]++
		why = cmp.Or(why, err)
	}
	slices.Sort(times)
	at := func(share float64) time.Duration {
		return times[min(int(float64(len(times))*share), len(times)-1)].Round(time.Millisecond)
	}
	recorded := 0
	for developer := range l.developers {
		log, err := os.ReadFile(filepath.Join(l.dir, fmt.Sprint(developer), "user", "log.jsonl"))
		if err != nil {
			return err
		}
		recorded += bytes.Count(log, []byte("\n"))
	}
	lost := max(len(calls)-recorded, 0) + count["lost"]
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %s | %s | %s | %d | %d | %d | %d |\n", p.name, len(calls),
		count["judged"], count["busy"], count["left alone"], count["too late"], count["gone"], at(.5), at(.95), at(.99),
		s.asked.Load(), s.busy.Load()+s.fault.Load(), count["judged"]*420, lost)
	switch {
	case lost > 0:
		return fmt.Errorf("%d of %d calls are lost (%d are in the log): %w", lost, len(calls), recorded, why)
	case s.strangers.Load() > 0:
		return fmt.Errorf("%d questions came without the developer's key", s.strangers.Load())
	case int64(count["judged"]) > s.answered.Load():
		return fmt.Errorf("%d calls are judged, and the server gave %d answers", count["judged"], s.answered.Load())
	}
	return nil
}

// outcome is what became of a call, in a word.
func outcome(c *call) (kind string, err error) {
	if c.err != nil || len(c.decision.Findings) != 1 {
		return "lost", cmp.Or(c.err, fmt.Errorf("%d findings", len(c.decision.Findings)))
	}
	f := &c.decision.Findings[0]
	switch {
	case f.Outcome == sentinel.OutcomePass:
		return "judged", nil
	case f.Outcome != sentinel.OutcomeUnavailable:
		return "lost", fmt.Errorf("outcome %s: %s", f.Outcome, f.Reason)
	case errors.Is(f.Err, context.DeadlineExceeded):
		return "too late", nil
	case f.Err != nil && strings.Contains(f.Err.Error(), "left alone"): // by the breaker, or as Retry-After asked
		return "left alone", nil
	case errors.Is(f.Err, sentinel.ErrBusy):
		return "busy", nil
	}
	return "gone", f.Err
}

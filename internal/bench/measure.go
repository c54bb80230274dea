package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel"
)

// A Report is what became of the commands of one list.
type Report struct {
	File  string  `json:"file"`
	Set   string  `json:"set"` // of the rules; "" are those that hold in the folder
	Rules int     `json:"rules"`
	Total Group   `json:"total"`
	Class []Group `json:"by_class"` // in the order of their first command

	Otherwise []Judged `json:"otherwise"`       // came out otherwise than expected, or stopped where no result is expected
	Disk      []Judged `json:"depends_on_disk"` // another verdict in an empty folder
}

// A Group counts the commands of one class, or of one source where they have none.
type Group struct {
	Name      string `json:"name"`
	Block     int    `json:"to_stop"`
	Reached   int    `json:"reach_a_rule"` // of those to stop
	Stopped   int    `json:"stopped"`      // of those to stop: blocked or asked about
	Allow     int    `json:"to_pass"`
	Disturbed int    `json:"to_pass_stopped"`
	Unknown   int    `json:"unlabelled"` // no result is expected
	Halted    int    `json:"unlabelled_stopped"`
}

// A Judged is a command with its verdict.
type Judged struct {
	Line     int      `json:"line"`
	Command  string   `json:"command"`
	Class    string   `json:"class"`
	Expected string   `json:"expected"`
	Verdict  string   `json:"verdict"`
	Empty    string   `json:"verdict_in_empty_folder"`
	Rules    []string `json:"rule_ids"` // that stop it

	Decision *sentinel.Decision `json:"-"`
}

// Measure judges a list. step is called after each command.
func (s *Site) Measure(ctx context.Context, cases []Case, step func()) (*Report, error) {
	r := &Report{Rules: s.Rules, Total: Group{Name: "total"}, Class: []Group{}, Otherwise: []Judged{}, Disk: []Judged{}}
	place := map[string]int{}
	for i := range cases {
		c := &cases[i]
		d, err := s.repository.judge(ctx, c.Command)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", c.Line, err)
		}
		e, err := s.empty.judge(ctx, c.Command)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", c.Line, err)
		}
		at, ok := place[c.group()]
		if !ok {
			at = len(r.Class)
			place[c.group()] = at
			r.Class = append(r.Class, Group{Name: c.group()})
		}
		r.Total.add(c, &d)
		r.Class[at].add(c, &d)
		r.note(judged(c, &d, e.Verdict))
		step()
	}
	return r, nil
}

// judge is the decision on a command as an agent's hook makes it.
func (p *place) judge(ctx context.Context, command string) (sentinel.Decision, error) {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return sentinel.Decision{}, err
	}
	d, err := p.rules.Evaluate(ctx, sentinel.Event{
		Phase: sentinel.PhasePre, Agent: usual(), Session: "bench", Dir: p.dir, Root: p.dir,
		Tool: sentinel.ToolCall{Name: "Bash", Args: args},
	})
	if err == nil {
		err = ctx.Err()
	}
	return d, err
}

func stops(d *sentinel.Decision) bool { return d.Verdict >= sentinel.VerdictAsk }

func (g *Group) add(c *Case, d *sentinel.Decision) {
	stopped := 0
	if stops(d) {
		stopped = 1
	}
	switch c.Expected {
	case Block:
		g.Block++
		g.Stopped += stopped
		if len(d.Findings) > 0 {
			g.Reached++
		}
	case Allow:
		g.Allow++
		g.Disturbed += stopped
	default:
		g.Unknown++
		g.Halted += stopped
	}
}

func judged(c *Case, d *sentinel.Decision, empty sentinel.Verdict) Judged {
	j := Judged{
		Line: c.Line, Command: c.Command, Class: c.group(), Expected: c.Expected,
		Verdict: d.Verdict.String(), Empty: empty.String(), Rules: []string{}, Decision: d,
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Verdict >= sentinel.VerdictAsk && !slices.Contains(j.Rules, f.Rule.ID) {
			j.Rules = append(j.Rules, f.Rule.ID)
		}
	}
	return j
}

func (r *Report) note(j Judged) {
	if stops(j.Decision) != (j.Expected == Block) {
		r.Otherwise = append(r.Otherwise, j)
	}
	if j.Verdict != j.Empty {
		r.Disk = append(r.Disk, j)
	}
}

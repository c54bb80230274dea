package project

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A Grant is one thing that trust in a folder permits.
type Grant struct {
	Kind  string // judge, key, log, budget or text
	What  string // in one bounded line, without secrets
	Waits bool   // it has no effect until the folder is trusted
}

// Grants are what trust in a folder permits: the judges that its configuration and
// rules name, with their servers, models and programs, the keys that they get, the
// log, the budget, and what its rules say.
func (i *Inspector) Grants(f *Folder) []Grant {
	var all []Grant
	add := func(kind string, waits bool, format string, args ...any) {
		all = append(all, Grant{kind, text.Line(fmt.Sprintf(format, args...)), waits})
	}
	paid := false
	for _, u := range f.Uses() {
		if u.Backend == sentinel.Builtin {
			continue
		}
		about := i.About(f, u)
		_, err := i.backends(f).build(u.Backend, u.Model)
		costs := about.Paid != nil && about.Paid(u.Model)
		paid = paid || costs
		add("judge", errors.Is(err, sentinel.ErrRefused), "%s", judgeGrant(u, about.Shown(), about.Argv, costs))
		if about.KeyEnv != "" && i.project.opts.getenv(about.KeyEnv) != "" {
			add("key", !f.Trusted(i.project.opts.StateDir), "the value of %s goes to %s", text.OneLine(about.KeyEnv), about.Shown())
		}
	}
	if _, err := f.logFile(&i.project.opts); f.Config.LogFile != "" {
		add("log", err != nil, "%s", text.OneLine(f.Config.LogFile))
	}
	if paid {
		add("budget", false, "%s", f.budget())
	}
	silent := i.project.silent(f)
	for _, r := range f.Written() {
		s := r.Spec()
		if said := cmp.Or(s.Message, s.Prompt); said != "" && s.Err == nil {
			add("text", silent, "%s, %s of %s: %s", s.ID, s.Severity, i.project.display(f, s.Source), text.Cut(text.OneLine(said), 160))
		}
	}
	return all
}

// judgeGrant names a judge, what it costs and what it is for.
func judgeGrant(u Use, where string, argv []string, costs bool) string {
	said := text.OneLine(u.Backend)
	if u.Model != "" {
		said += ", model " + text.Cut(text.OneLine(u.Model), 80)
	}
	switch {
	case len(argv) > 0:
		said += fmt.Sprintf(", the program %q", argv)
	case where != "":
		said += ", at " + text.Cut(text.OneLine(where), 120)
	}
	if costs {
		said += ", which costs money or a part of your plan"
	}
	return said + "; for " + text.Cut(strings.Join(u.For, ", "), 160)
}

// budget says what may be used in a day.
func (f *Folder) budget() string {
	b := &f.Config.Budget
	var parts []string
	if b.PaidCallsPerDay > 0 {
		parts = append(parts, fmt.Sprintf("%d paid calls", b.PaidCallsPerDay))
	}
	if b.TokensPerDay > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", b.TokensPerDay))
	}
	if b.MoneyPerDay > 0 {
		parts = append(parts, fmt.Sprintf("%.2f of money", b.MoneyPerDay))
	}
	if len(parts) == 0 {
		return "no limit: paid judges may be asked without end"
	}
	return "in a day at most " + strings.Join(parts, ", ")
}

// display names the file of a rule from the folder's project.
func (p *Project) display(f *Folder, source string) string {
	if i := strings.LastIndexByte(source, ':'); i > 0 {
		source = source[:i]
	}
	return text.Cut(text.OneLine(below(f.base(), source)), maxShownPath)
}

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// judges looks at every backend that is configured to be used. Nothing that
// costs is asked of a model.
func (d *doctor) judges(ctx context.Context) []Finding {
	var checks []check
	for _, f := range d.project.Folders {
		if f.User && len(f.Rules()) == 0 && len(d.project.Folders) > 1 {
			continue // its settings are not used
		}
		for _, u := range f.Uses() {
			checks = append(checks, check{areaJudges, func(ctx context.Context) []Finding { return d.judge(ctx, f, u) }})
		}
		checks = append(checks, check{areaJudges, func(context.Context) []Finding { return d.withoutModel(f) }},
			check{areaJudges, func(context.Context) []Finding { return d.spent(f) }})
	}
	return gather(ctx, checks)
}

// judge pings one backend.
func (d *doctor) judge(ctx context.Context, f *project.Folder, u project.Use) []Finding {
	if u.Backend == sentinel.Builtin {
		return []Finding{ok(u.Backend, "needs no model; for "+purposes(u))}
	}
	found := []Finding{d.ping(ctx, f, u)}
	if o, ok := d.project.Inspect().Outage(f, u); ok {
		found = append(found, outage(d.now(), u, o.Failures, o.Until, o.Reason))
	}
	return found
}

// ping asks a backend whether it could be asked.
func (d *doctor) ping(ctx context.Context, f *project.Folder, u project.Use) Finding {
	about := d.project.Inspect().About(f, u)
	who := describe(u.Model, about.Shown())
	if program := about.Program; program != "" {
		path := d.lookPath(program)
		if root := d.holder(path); path != "" && root != "" {
			return warn(u.Backend, fmt.Sprintf("%s: %s lies in the repository %s and was not run; for %s", who, path, root, purposes(u)),
				"take that folder off the PATH")
		}
		if path == "" {
			return unable(f, u, who, program+" is not installed: it is not on the PATH")
		}
		who += " (" + strings.TrimSpace(d.display(path)+" "+d.versionOf(ctx, path, true)) + ")"
	}
	ctx, cancel := context.WithTimeout(ctx, d.Patience/2)
	defer cancel()
	start := time.Now()
	err := d.project.Inspect().Ping(ctx, f, u)
	took := time.Since(start).Round(time.Millisecond)
	var profile string
	if err == nil {
		profile, err = d.project.Inspect().Profile(ctx, f, u)
	}
	switch {
	case err == nil:
		return ok(u.Backend, fmt.Sprintf("%s %s%s; for %s", who, pinged(about.Pinged, took), text.Unless(profile == "", ", asked by the profile "+profile), purposes(u)))
	case errors.Is(err, sentinel.ErrRefused):
		text := strings.TrimPrefix(message(err), sentinel.ErrRefused.Error()+": ")
		return person(u.Backend, fmt.Sprintf("%s is not contacted: %s; for %s", who, text, purposes(u)), "sentinel trust, when you have read the configuration")
	case errors.Is(err, errors.ErrUnsupported) && about.Server == "":
		return info(u.Backend, fmt.Sprintf("%s: not checked, since this backend has no ping; for %s", who, purposes(u)), "")
	}
	return unable(f, u, who, reason(err))
}

// unable reports a backend that cannot be asked.
func unable(f *project.Folder, u project.Use, who, why string) Finding {
	what := fmt.Sprintf("%s cannot be asked, for %s: %s", who, purposes(u), why)
	if onlyAdvice(u) {
		return warn(u.Backend, what, "no present rule uses it")
	}
	return fail(u.Backend, what, consequence(f, u))
}

// describe names a backend by its model and where it is.
func describe(model, where string) string {
	text := model
	if where != "" {
		if text != "" {
			text += " at "
		}
		text += where
	}
	if text == "" {
		return "it (no model is named)"
	}
	return text
}

// pinged says what an answered ping has shown.
func pinged(shows string, took time.Duration) string {
	return strings.ReplaceAll(cmp.Or(shows, "answers in %v"), "%v", took.String())
}

// onlyAdvice reports whether no rule depends on a backend.
func onlyAdvice(u project.Use) bool {
	for _, purpose := range u.For {
		switch purpose {
		case project.ForNoRule, project.ForContext, project.ForScribe:
		default:
			return false
		}
	}
	return true
}

// purposes is what a backend is for. Rules are counted when they are many.
func purposes(u project.Use) string {
	var parts []string
	for _, kind := range []string{"rule ", "fallback of rule "} {
		var ids []string
		for _, purpose := range u.For {
			if id, ok := strings.CutPrefix(purpose, kind); ok {
				ids = append(ids, id)
			}
		}
		switch {
		case len(ids) > 3:
			parts = append(parts, strings.TrimSuffix(kind, "rule ")+text.Count(len(ids), "rule"))
		case len(ids) > 0:
			parts = append(parts, kind+strings.Join(ids, ", "))
		}
	}
	var others []string
	for _, purpose := range u.For {
		if !strings.HasPrefix(purpose, "rule ") && !strings.HasPrefix(purpose, "fallback of rule ") {
			others = append(others, purpose)
		}
	}
	return strings.Join(append(others, parts...), ", ")
}

// reason is why a ping failed, without the words that every such error has.
func reason(err error) string {
	var b *sentinel.BackendError
	if errors.As(err, &b) && b.Err != nil {
		err = b.Err
	}
	return strings.TrimPrefix(message(err), sentinel.ErrUnavailable.Error()+": ")
}

func consequence(f *project.Folder, u project.Use) string {
	switch {
	case len(f.Config.Fallback) > 0 && u.For[0] == project.ForRules:
		return "until then the fallback judges: " + strings.Join(f.Config.Fallback, ", ")
	case f.Config.FailOpen:
		return "until then what only it can judge is let through (fail_open is true); `backend: builtin` needs no model"
	}
	return "until then what only it can judge is stopped (fail_open is false)"
}

// outage reports what the breaker knows.
func outage(now time.Time, u project.Use, failures int, until time.Time, why string) Finding {
	what := fmt.Sprintf("%s failed %s in a row, the last time: %s", u.Backend, text.Count(failures, "time"), why)
	if until.After(now) {
		return warn(u.Backend, what+"; it is left alone until "+until.Local().Format(time.TimeOnly), "it is asked again by itself")
	}
	return info(u.Backend, what+"; the next call tries it again", "")
}

// withoutModel reports what is off when no model is asked.
func (d *doctor) withoutModel(f *project.Folder) []Finding {
	if f.Config.Backend != sentinel.Builtin {
		return nil
	}
	what := "the global backend is builtin: the session's context and the Scribe are off"
	posts := 0
	for _, r := range f.Rules() {
		if r.Spec().Post {
			posts++
		}
	}
	if posts > 0 {
		what += fmt.Sprintf(", and so are the rules with `post` (%d)", posts)
	} else {
		what += ", and rules with `post` would be"
	}
	return []Finding{info(sentinel.Builtin, what, "name a model as `backend` in config.yaml to have them")}
}

// spent reports what was used today.
func (d *doctor) spent(f *project.Folder) []Finding {
	return append(d.paidCalls(f), d.used(f)...)
}

// paidCalls reports how many calls of judges that cost money were made today.
func (d *doctor) paidCalls(f *project.Folder) []Finding {
	limit := f.Config.Budget.PaidCallsPerDay
	calls, err := d.project.Inspect().PaidToday(f)
	switch {
	case err != nil && limit > 0:
		return []Finding{fail("budget", "paid calls cannot be counted, so no paid judge is asked: "+message(err), "remove the file that it names")}
	case err != nil || calls == 0:
		return nil
	case limit > 0 && calls >= limit:
		return []Finding{warn("budget", fmt.Sprintf("%d of %d paid calls of today are made: paid judges are not asked until midnight", calls, limit),
			"raise `budget.paid_calls_per_day` in config.yaml, or wait")}
	case limit > 0:
		return []Finding{ok("budget", fmt.Sprintf("%d of %d paid calls of today are made", calls, limit))}
	}
	return []Finding{ok("budget", fmt.Sprintf("%d paid calls of today are made; there is no limit", calls))}
}

// used reports the tokens and the money of today.
func (d *doctor) used(f *project.Folder) []Finding {
	b := f.Config.Budget
	limited := b.TokensPerDay > 0 || b.MoneyPerDay > 0
	tokens, money, err := d.project.Inspect().UsedToday(f)
	switch {
	case err != nil && limited:
		return []Finding{fail("budget", "what was used today cannot be read, so no model is asked: "+message(err), "remove the file that it names")}
	case err != nil || !limited && tokens == 0:
		return nil
	}
	what := fmt.Sprintf("used today: %d tokens", tokens)
	if money > 0 {
		what += fmt.Sprintf(", %.2f by `pricing`", money)
	}
	if b.TokensPerDay > 0 {
		what += fmt.Sprintf(", of %d tokens a day", b.TokensPerDay)
	}
	if b.MoneyPerDay > 0 {
		what += fmt.Sprintf(", of %.2f a day", b.MoneyPerDay)
	}
	if b.TokensPerDay > 0 && tokens >= b.TokensPerDay || b.MoneyPerDay > 0 && money >= b.MoneyPerDay {
		return []Finding{warn("budget", what+": only rules that need no model are judged until midnight", "raise `budget` in config.yaml, or wait")}
	}
	return []Finding{ok("budget", what)}
}

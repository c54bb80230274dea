package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// sqlStatement is the beginning of a statement of SQL that takes something away, as a line names it.
var sqlStatement = lazy.Regexp{Source: `^(?i:drop (?:table|database|schema|column|view|index)|truncate(?: table)?|delete from|alter table)$`}

// listEnd is what stands behind a list in its sentence.
var listEnd = lazy.Regexp{Source: `[.;:(—–].*$`}

// sqlClients are programs that run statements of SQL.
var sqlClients = []string{"psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "clickhouse-client", "sqlplus"}

// sql forbids statements of SQL that a line lists among commands.
func (b *builder) sql() []ruletext.Rule {
	first := sentence.Mark.Get().FindString(b.hit.Slots["deny"])
	_, listed, ok := strings.Cut(b.hit.Phrase.Words, first)
	if !ok || first == "" {
		return nil
	}
	var patterns, names []string
	for _, t := range b.hit.Phrase.TermsIn(listEnd.Get().ReplaceAllString(listed, "")) {
		if t.Kind != sentence.Command && sqlStatement.Get().MatchString(t.Text) {
			names = append(names, t.Text)
			patterns = append(patterns, strings.ReplaceAll(regexp.QuoteMeta(strings.ToLower(t.Text)), " ", `\s+`))
		}
	}
	if len(names) == 0 {
		return nil
	}
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "bash", Message: otherWay}
	for _, c := range sqlClients {
		r.Scope = append(r.Scope, c, c+" *")
	}
	r.When = "command matches `(?i)\\b(" + strings.Join(slices.Compact(patterns), "|") + ")\\b`"
	r.Why = "It stops " + strings.Join(names, ", ") + " by a client of a database."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "psql app -c '" + names[0] + " x'"}), ruletext.AsStop(ruletext.Case{Bash: "echo '" + strings.ToLower(names[0]) + " x;' | sqlite3 app.db"}),
		ruletext.AsPass(ruletext.Case{Bash: "psql app -c 'select 1'"}), ruletext.AsPass(ruletext.Case{Bash: "grep -rn '" + names[0] + "' src"})}
	return []ruletext.Rule{r}
}

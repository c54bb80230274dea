package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// sqlClients are programs that run statements of SQL.
var sqlClients = []string{"psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "clickhouse-client", "sqlplus"}

// sql forbids statements of SQL that a line lists among commands.
func (b *builder) sql() []ruletext.Rule {
	var patterns, names []string
	for _, t := range b.denied() {
		if sentence.SQLStatement.Get().MatchString(t.Text) {
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

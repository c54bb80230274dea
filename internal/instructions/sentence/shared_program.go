package sentence

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// moreTasks are names in `code` behind a command, in a list with it.
	moreTasks = lazy.Regexp{Source: `‹c\d+›(?:(?:,? (?:or|and|nor) |, |/)‹t\d+›)+`}
	// namesTask is a program with one of its tasks, whose name has a colon as no program's has; aTask is
	// such a name alone.
	namesTask = lazy.Regexp{Source: `^((?:php |\./)?artisan|(?:bin/)?rails|(?:bundle exec )?rake|mix|(?:npm|pnpm|yarn|bun) run|composer|(?:php )?bin/console|symfony console) [a-z][\w-]*:[\w:-]+`}
	aTask     = lazy.Regexp{Source: `^[a-z][\w-]*:[a-z][\w:-]*$`}
)

// ShareProgram writes out the program that several tasks share: "‹rake db:drop› or ‹db:reset›" names
// two commands.
func (p *Phrase) ShareProgram() {
	p.Words = moreTasks.Get().ReplaceAllStringFunc(p.Words, func(list string) string {
		all := p.TermsIn(list)
		m := namesTask.Get().FindStringSubmatch(all[0].Text)
		if m == nil {
			return list
		}
		for _, t := range Mark.Get().FindAllString(list, -1)[1:] {
			if name := p.TermIn(t).Text; aTask.Get().MatchString(name) {
				list = strings.Replace(list, t, p.Add(Command, m[1]+" "+name, true), 1)
			}
		}
		return list
	})
}

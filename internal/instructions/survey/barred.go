package survey

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A file may order what a program does, and another line of it forbid to call that program as it is: then
// another command is the way to it.

var (
	// barred is a ban of one command or of several, and nakedly one that says so of their calls without
	// what should run them.
	barred  = lazy.Regexp{Source: "(?i)\\b(?:never|do not|don['’]t|avoid)(?: (?:ever|use|using|run|running|call|calling|invoke|invoking|execute|executing|directly|the|raw|bare|plain|naked))+ ((?:`[^`]+`(?:,? (?:or|and|nor) |, |/)?)+)([^.;]*)"}
	nakedly = lazy.Regexp{Source: "(?i)\\b(?:raw|bare|plain|naked)\\b[^`]*`|` ?(?:directly|by itself|on its own|by hand)\\b"}
	// barredWhen limits a ban to some cases.
	barredWhen = lazy.Regexp{Source: `(?i)^[^.;]*\b(?:unless|except|until|without|while|if|when|during|in|on|with|for|from|before|after|as|to|again)\b`}
	inCode     = lazy.Regexp{Source: "`([^`]+)`"}
)

// barredIn are the commands that a text forbids to call as they are, whatever for.
func barredIn(text string) (list []string) {
	for _, m := range barred.Get().FindAllStringSubmatch(text, -1) {
		if !nakedly.Get().MatchString(m[0]) && barredWhen.Get().MatchString(Plain(m[2])) {
			continue
		}
		for _, c := range inCode.Get().FindAllStringSubmatch(m[1], -1) {
			if c := strings.TrimSpace(c[1]); sentence.KindOf(c) == sentence.Command || nakedly.Get().MatchString(m[0]) {
				list = append(list, c)
			}
		}
	}
	return list
}

// Bars reports whether the files forbid a command, or all calls of what it begins with.
func (p *Project) Bars(cmd string) bool {
	if p == nil || len(p.Barred) == 0 {
		return false
	}
	words := strings.Fields(cmd)
	for n := range words {
		if p.Barred[strings.Join(words[:n+1], " ")] {
			return true
		}
	}
	return false
}

// byPath is a command whose program is named by its whole path, or by one of the user's own.
var byPath = lazy.Regexp{Source: `^(?:~|\$HOME)?/(?:[\w.+-]+/)+[\w.+-]+(?: |$)`}

// PathsOf are the files' ways to write a command with the path of its program: `/opt/x/bin/tool run` for
// `tool run`.
func (p *Project) PathsOf(cmd string) (list []string) {
	if p == nil || strings.Contains(sentence.Program(cmd), "/") {
		return nil
	}
	for _, c := range p.byPath {
		if program := byPath.Get().FindString(c); program != "" && c[strings.LastIndexByte(strings.TrimSpace(program), '/')+1:] == cmd {
			list = append(list, c)
		}
	}
	return list
}

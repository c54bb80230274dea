package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// ofAgent are tools that agents have themselves, under names like those of servers.
var ofAgent = lazy.Regexp{Source: `^(?:(?:write|read|edit|create|delete|list|search|view|multi_?edit|replace_in|write_to|notebook_?edit)_?(?:files?|dir|directory)?|apply_patch|run_shell_command|run_command|execute_command|run_in_terminal|str_replace_\w+|replace|web_?(?:search|fetch)|google_web_search|todo_?write|save_memory|shell|bash)$`}

// ofForge are tools of the servers for GitHub and its like, by their names alone.
var ofForge = lazy.Regexp{Source: `^(?:(?:merge|create|update)_pull_request|push_files|create_or_update_file|delete_file|create_(?:branch|issue|repository|pull_request_review)|(?:add_issue|create_pull_request)_comment|fork_repository)$`}

// allOfServer are all tools of a server, as agents name them.
var allOfServer = lazy.Regexp{Source: `^(?:\*:)?(?:mcp__)?([\w-]+?)(?:__|_)\*$`}

// tools forbids tools of MCP servers, or all tools of a server.
func (b *builder) tools() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "mcp", Message: b.withUnless(otherWay)}
	var names []string
	for _, t := range b.hit.Terms("deny") {
		name, ofServer := strings.CutPrefix(t.Text, "*:")
		if ofForge.Get().MatchString(t.Text) {
			name, ofServer = t.Text, true
		}
		if m := allOfServer.Get().FindStringSubmatch(t.Text); m != nil {
			r.Scope, names = append(r.Scope, m[1]+":*"), append(names, m[1])
			r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{MCP: m[1] + ":tool"}))
			continue
		}
		if ofServer = !ofServer; ofServer && !sentence.PlainName.Get().MatchString(name) || !ofServer && ofAgent.Get().MatchString(name) {
			continue
		}
		list, _ := patterns("*:" + name)
		example := "server:" + name
		if ofServer {
			list, example = []string{name + ":*"}, name+":tool"
		}
		r.Scope, names = append(r.Scope, list...), append(names, name)
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{MCP: example}))
	}
	if len(names) == 0 {
		return nil
	}
	r.ID = strings.Join(names, " ")
	r.Why = "It stops calls of " + strings.Join(names, ", ") + "."
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{MCP: "another:call"}))
	return []ruletext.Rule{r}
}

package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/shell"
)

// requestPrograms are the calls that publish commits, or ask for their review.
var requestPrograms = [...]string{
	"git push*", "git send-pack*", "jj git push*", "hg push*", "gh pr create*", "gh pr new*", "glab mr create*", "glab mr new*", "glab mr for*", "hub pull-request*",
	"tea {pr,prs,pull,pulls} {create,c}*", "fj pr create*", "az repos *pr create*", "gt submit*", "arc diff*", "git review*", "*:*create_{pull,merge}_request", "*:create_pull_request_with_copilot",
}

// webPrograms are those with which a pull request can be opened by the address of a forge. Which
// of their calls do that says [opensByWeb].
var webPrograms = [...]string{"gh api", "glab api", "curl", "curlie", "wget", "wget2", "http", "https", "xh", "xhs"}

// requests are the patterns of calls that publish commits for review.
func requests() []string {
	all := slices.Clone(requestPrograms[:])
	for _, program := range webPrograms {
		all = append(all, program+webAddresses)
	}
	return all
}

// webAddresses is the end of the patterns of web programs.
const webAddresses = " *{pulls,pullrequests,pull-requests,merge_requests,graphql}*"

var (
	// pullsAddress is where a forge takes new pull requests: GitHub and its like, GitLab, Bitbucket and Azure.
	pullsAddress = lazy.Regexp{Source: `(?i)(?:^|/)(?:pulls|merge_requests|pull-?requests)/?(?:[?#]|$)`}
	// createsPull is a mutation of GraphQL that opens one.
	createsPull = lazy.Regexp{Source: `(?i)create(?:Pull|Merge)Request|mergeRequestCreate`}
	// elsewhereText is a word whose text is in a file, or comes from a variable or a command.
	elsewhereText = lazy.Regexp{Source: "^(?:[\\w.-]+=)?@|[$`]"}
)

// opensByWeb reports whether a web program opens a pull request: it sends something to the address
// for new ones, or a mutation that is not known to be another one.
func opensByWeb(c *shell.Command) bool {
	words := slices.Concat(c.Context, c.Args)
	has := func(what *regexp.Regexp) bool { return slices.ContainsFunc(words, what.MatchString) }
	switch {
	case reads(c):
		return false
	case has(pullsAddress.Get()) || has(createsPull.Get()):
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool { return w == "graphql" || strings.Contains(w, "/graphql") }) &&
		(c.HasFlag("--input") || has(elsewhereText.Get()))
}

// reads reports whether a web program only gets something. What it sends by default, where it has
// something to send, is a POST; a method that is given counts in its place.
func reads(c *shell.Command) bool {
	if methods := methods(c); len(methods) > 0 {
		return !slices.ContainsFunc(methods, func(m string) bool {
			return !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, strings.ToUpper(m))
		})
	}
	switch c.Program {
	case "gh", "glab":
		return !c.HasFlag("-f", "-F", "--field", "--raw-field", "--input")
	case "curl", "curlie":
		return c.HasFlag("-G", "--get") || !c.HasFlag("-d", "-F", "-T", "--data-raw", "--data-binary", "--data-urlencode", "--json", "--form-string")
	case "wget", "wget2":
		return !c.HasFlag("--post-data", "--post-file", "--body-data", "--body-file")
	}
	return len(c.Operands) < 2 && !c.HasFlag("--raw") // http ADDRESS KEY=VALUE
}

// methods are the methods of HTTP that the words of a command name.
func methods(c *shell.Command) (all []string) {
	for i, word := range c.Args {
		switch name, value, joined := strings.Cut(word, "="); {
		case slices.Contains([]string{"-X", "--method", "--request"}, name) && !joined && i+1 < len(c.Args):
			all = append(all, c.Args[i+1])
		case joined && (name == "--method" || name == "--request" || name == "-X"):
			all = append(all, value)
		case strings.HasPrefix(word, "-X") && len(word) > 2:
			all = append(all, word[2:])
		}
	}
	if len(c.Operands) > 0 && slices.Contains([]string{"http", "https", "xh", "xhs"}, c.Program) {
		if first := strings.ToUpper(c.Operands[0]); slices.Contains([]string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}, first) {
			all = append(all, first)
		}
	}
	return all
}

// withoutReads is a line without the web calls that open no pull request, where a pattern is one of
// [requests].
func withoutReads(line *shell.Line) *shell.Line {
	asks := func(c *shell.Command) bool {
		return slices.ContainsFunc(webPrograms[:], func(p string) bool {
			program, sub, _ := strings.Cut(p, " ")
			return c.Program == program && (sub == "" || c.Subcommand == sub)
		})
	}
	other := func(c *shell.Command) bool { return !asks(c) || opensByWeb(c) }
	for i := range line.Commands {
		if !other(&line.Commands[i]) {
			return line.Only(func(i int) bool { return other(&line.Commands[i]) })
		}
	}
	return line
}

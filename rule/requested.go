package rule

import (
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
	// methodOption is an option with the method of HTTP, as curl may shorten and bundle it; its value is joined, or the next word.
	methodOption = lazy.Regexp{Source: `^(?:-[^-X]*X|--(?:req|requ|reque|reques|request|me|met|meth|metho|method)(?:=|$))=?(.*)$`}
	// sentItem is a word with which HTTPie sends something: KEY=VALUE, KEY:=JSON, KEY@FILE, or a variable.
	sentItem = lazy.Regexp{Source: "^[^?=@:]+(?::?=(?:[^=]|$)|@)|[$`]"}
	// field is a field of gh and glab, with its name.
	field = lazy.Regexp{Source: "^(?:-[fF]|--(?:raw-)?field=)?([^=]*)="}
	// notBody is a header, or an address.
	notBody = lazy.Regexp{Source: `^(?:-H|--header=)?[A-Za-z][\w-]*:(?:[^={][^{]*)?$`}
	// declared is a variable of GraphQL where its query declares it.
	declared = lazy.Regexp{Source: `\$(\w+)\s*:`}
	// opened is a variable or a command in a text.
	opened = lazy.Regexp{Source: "\\$(\\w*)|`"}
	// ofFile is a word whose text is in a file.
	ofFile = lazy.Regexp{Source: `^(?:-\w+|(?:--?[\w-]+=)?(?:[\w.-]+:?=)?)@`}
)

// opensByWeb reports whether a web program opens a pull request: it sends something to the address
// for new ones, or a mutation that is not known to be another one.
func opensByWeb(c *shell.Command) bool {
	words := slices.Concat(c.Context, c.Args)
	places := words
	if isForge(c) { // its fields are text
		places = c.Operands
	}
	switch {
	case reads(c):
		return false
	case slices.ContainsFunc(places, pullsAddress.Get().MatchString), slices.ContainsFunc(append(words, c.Stdin), createsPull.Get().MatchString):
		return true
	}
	return slices.ContainsFunc(places, isGraphQL) && unseenQuery(c, words)
}

func isForge(c *shell.Command) bool { return c.Program == "gh" || c.Program == "glab" }

func isGraphQL(word string) bool { return word == "graphql" || strings.Contains(word, "/graphql") }

// unseenQuery reports whether what is sent to GraphQL is in a file, or comes from a variable or a command.
func unseenQuery(c *shell.Command, words []string) bool {
	inFile := !isForge(c) && c.HasFlag("-T", "-K", "--config", "--post-file", "--body-file")
	if inFile || c.Stdin == "" && (fed(c) || c.HasFlag("--input")) || isOpen(c, c.Stdin) {
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool {
		if name := field.Get().FindStringSubmatch(w); isForge(c) && name != nil && name[1] != "query" {
			return isOpen(c, name[1])
		}
		if notBody.Get().MatchString(w) {
			return false
		}
		return isOpen(c, w) || ofFile.Get().MatchString(w) && (c.Stdin == "" || !strings.HasSuffix(w, "@-"))
	})
}

// isOpen reports whether a text has a variable of the shell, or a command. The variables that a query of GraphQL
// declares are its own.
func isOpen(c *shell.Command, text string) bool {
	if c.Certain {
		return false
	}
	own := map[string]bool{}
	for _, m := range declared.Get().FindAllStringSubmatch(text, -1) {
		own[m[1]] = true
	}
	return slices.ContainsFunc(opened.Get().FindAllStringSubmatch(text, -1), func(m []string) bool { return !own[m[1]] })
}

// fed reports whether something is given to a command to read.
func fed(c *shell.Command) bool {
	return c.Stdin != "" || len(c.Input) > 0 || slices.ContainsFunc(c.Redirects, func(r string) bool { return strings.HasPrefix(strings.TrimPrefix(r, "0"), "<") })
}

// reads reports whether a web program only gets something. By default it sends a POST where it has
// something to send; a method that is given counts in its place.
func reads(c *shell.Command) bool {
	if methods, given := methods(c); given {
		return len(methods) > 0 && !slices.ContainsFunc(methods, func(m string) bool { return !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, m) })
	}
	switch c.Program {
	case "gh", "glab":
		return !c.HasFlag("-f", "-F", "--field", "--raw-field", "--input")
	case "wget", "wget2":
		return !c.HasFlag("--post-data", "--post-file", "--body-data", "--body-file")
	case "curl", "curlie":
		data := c.HasFlag("-d", "-F", "-T", "-K", "--config", "--data-raw", "--data-binary", "--data-urlencode", "--json", "--form-string")
		if data || c.Program == "curl" {
			return !data || c.HasFlag("-G", "--get") && !c.HasFlag("--next", "-:")
		}
	}
	at := slices.IndexFunc(c.Operands, func(w string) bool { return pullsAddress.Get().MatchString(w) || isGraphQL(w) })
	return !fed(c) && !c.HasFlag("--raw") && !slices.ContainsFunc(c.Operands[at+1:], sentItem.Get().MatchString)
}

// methods are the methods of HTTP that the words of a command name, in capitals. Some may be values of
// other options. given says that one counts for the whole command.
func methods(c *shell.Command) (all []string, given bool) {
	if slices.Contains([]string{"http", "https", "xh", "xhs", "curlie"}, c.Program) && len(c.Operands) > 0 {
		if first := strings.ToUpper(c.Operands[0]); slices.Contains([]string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}, first) {
			return []string{first}, true
		}
	}
	for i, word := range c.Args {
		if m := methodOption.Get().FindStringSubmatch(word); m != nil && m[1] != "" {
			all = append(all, strings.ToUpper(m[1]))
		} else if m != nil && i+1 < len(c.Args) {
			all = append(all, strings.ToUpper(c.Args[i+1]))
		}
	}
	return all, c.HasFlag("-X", "--request", "--method") && !c.HasFlag("--next", "-:")
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

package rule

import (
	"context"
	"regexp"
	"sync/atomic"

	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/intent"
	"github.com/agentsentinel/sentinel/scope"
)

// The words by which a rule looks at what the person has asked for.
const (
	askedFunction = "asked"        // of expressions
	userRequest   = "user_request" // of templates
)

// maxAsked bounds a pattern of `asked`, in bytes.
const maxAsked = 1000

// askedPattern compiles a pattern of `asked`. People write large and small letters as they
// like.
func askedPattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxAsked {
		return nil, &scope.PatternError{Message: "is longer than 1000 bytes"}
	}
	compiled, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return nil, &scope.PatternError{Message: err.Error()}
	}
	if compiled.MatchString("") {
		return nil, &scope.PatternError{Message: "matches any text: name what is to be asked for"}
	}
	return compiled, nil
}

func checkAsked(pattern string) error {
	_, err := askedPattern(pattern)
	return err
}

type quoteKey struct{}

// quoting has the words kept that make `asked` true.
func quoting(ctx context.Context) (context.Context, *atomic.Pointer[string]) {
	quote := new(atomic.Pointer[string]) // an evaluation that took too long may still run
	return context.WithValue(ctx, quoteKey{}, quote), quote
}

// askedFunctionOf is the function of expressions that says whether the person asked for an
// action, by words that a pattern matches and that name certain things. It is false of what
// an unknown program may do, and of a line with more than one command.
func askedFunctionOf(ctx context.Context, a *sentinel.Action) func(pattern string, names ...string) (bool, error) {
	plain := a.Carrier == "" && (a.Trigger != sentinel.Bash || intent.Plain(parsed(a)))
	return func(pattern string, names ...string) (bool, error) {
		compiled, err := askedPattern(pattern)
		if err != nil || !plain {
			return false, err
		}
		said := intent.Matching(a.Requests, compiled, names...)
		if quote, ok := ctx.Value(quoteKey{}).(*atomic.Pointer[string]); ok && said != "" {
			quote.Store(&said)
		}
		return said != "", nil
	}
}

// looksAsked reports whether an expression looks at what the person asked for.
func looksAsked(src string) bool {
	tree, err := parser.Parse(src)
	c := contentless{names: []string{askedFunction}}
	return err == nil && c.reads(tree.Node)
}

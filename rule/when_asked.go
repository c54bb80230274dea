package rule

import (
	"context"
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/intent"
	"github.com/agentsentinel/sentinel/scope"
)

// The words with which a rule looks at what the person has asked for.
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

// requested is the sentence in which the person asked for an action, or "".
func requested(a *sentinel.Action) string {
	if a.Command == nil && a.Trigger == sentinel.Bash {
		with := *a
		with.Command = parsed(a)
		a = &with
	}
	return a.Requested()
}

// askedFunctionOf is the function of expressions that says whether the person asked for an
// action, in a sentence that a pattern matches and that has certain names.
func askedFunctionOf(ctx context.Context, a *sentinel.Action) func(pattern string, names ...string) (bool, error) {
	said := sync.OnceValue(func() string { return requested(a) })
	return func(pattern string, names ...string) (bool, error) {
		compiled, err := askedPattern(pattern)
		if err != nil || said() == "" || !compiled.MatchString(said()) {
			return false, err
		}
		for _, name := range names {
			if name == "" || !intent.Holds(said(), name) {
				return false, nil
			}
		}
		if quote, ok := ctx.Value(quoteKey{}).(*atomic.Pointer[string]); ok {
			text := said()
			quote.Store(&text)
		}
		return true, nil
	}
}

// looksAsked reports whether an expression looks at what the person asked for.
func looksAsked(src string) bool {
	tree, err := parser.Parse(src)
	c := contentless{names: []string{askedFunction}}
	return err == nil && c.reads(tree.Node)
}

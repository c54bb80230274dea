// Package builtin judges with no model: the expression `when` of the rule is
// the verdict.
//
// It costs microseconds and sends nothing anywhere, so it suits rules that can be
// put as an expression, machines without a model, and as the last of a rule's
// fallbacks. A rule that has no `when`, or a question that is not a judgement,
// cannot be answered and is [sentinel.ErrUnavailable]; it is never a pass.
package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentsentinel/sentinel"
)

// Name is the name of the backend and of its model, in configuration, records
// and errors.
const Name = sentinel.Builtin

// The two answers. An expression is sure of itself, hence the confidence; it has
// no words for its verdict, so the engine fills in the rule's message or a
// sentence of its own as the reason.
const (
	violation = `{"violation":true,"confidence":1,"reason":""}`
	clean     = `{"violation":false,"confidence":1}`
)

// Backend is the builtin judge. The zero value is ready for use; it has no state
// and is safe for concurrent use.
type Backend struct{}

// New returns the builtin judge.
func New() *Backend { return &Backend{} }

// Complete evaluates the condition of req.Rule on req.Action and answers with
// its value as a verdict. It looks at nothing else of req. Errors are
// *[sentinel.BackendError]: [sentinel.ErrUnavailable] when there is nothing to
// evaluate or the evaluation failed, [errors.ErrUnsupported] when there are images.
func (*Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if err := ctx.Err(); err != nil {
		return fail(fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err))
	}
	if len(req.Images) > 0 {
		return fail(fmt.Errorf("%w: it cannot look at images", errors.ErrUnsupported))
	}
	if req.Rule == nil || req.Action == nil {
		return fail(fmt.Errorf("%w: the builtin judge answers judgements only, and this question is about no rule and action", sentinel.ErrUnavailable))
	}
	id := ruleID(req.Rule)
	cond, ok := req.Rule.(sentinel.Conditional)
	if !ok || !cond.Conditional() {
		return fail(fmt.Errorf("%w: rule %q has no `when`, so the builtin judge cannot judge it: add a `when`, or name a model backend", sentinel.ErrUnavailable, id))
	}
	violated, err := cond.When(ctx, req.Action, req.Match)
	if err != nil {
		return fail(fmt.Errorf("%w: rule %q: %w", sentinel.ErrUnavailable, id, err))
	}
	resp := sentinel.Response{Text: clean, Backend: Name, Model: Name}
	if violated {
		resp.Text = violation
	}
	return resp, nil
}

// Ping returns nil, because no server is asked.
func (*Backend) Ping(ctx context.Context, model string) error { return ctx.Err() }

func ruleID(r sentinel.Rule) string {
	if spec := r.Spec(); spec != nil {
		return spec.ID
	}
	return ""
}

func fail(err error) (sentinel.Response, error) {
	return sentinel.Response{}, &sentinel.BackendError{Backend: Name, Op: "complete", Err: err}
}

var (
	_ sentinel.Backend = (*Backend)(nil)
	_ sentinel.Pinger  = (*Backend)(nil)
)

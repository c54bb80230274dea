package otel

import (
	"context"
	"errors"

	"github.com/agentsentinel/sentinel"
)

// The values of error.type.
const (
	ErrorTimeout     = "timeout"     // the time of a rule or of the call was up
	ErrorCanceled    = "canceled"    // no caller waited for the answer any more
	ErrorOverBudget  = "over_budget" // models may cost no more today
	ErrorRefused     = "refused"     // asking was not allowed, as before "sentinel trust"
	ErrorMalformed   = "malformed"   // the model answered, but not in the form asked for
	ErrorBusy        = "busy"        // no slot and no GPU came free in time
	ErrorPreempted   = "preempted"   // a judge needed the GPU more
	ErrorEvent       = "bad_event"   // the agent's event was not understood
	ErrorUnsupported = "unsupported" // the model cannot do it
	ErrorUnavailable = "unavailable" // the model could not be reached, or gave no answer
	ErrorOther       = "_OTHER"      // the conventions' word for all else
)

// errorType is the value of error.type for err, "" for nil. If an error is several of
// these, the cause comes before its consequence.
func errorType(err error) string {
	if err == nil {
		return ""
	}
	for _, known := range [...]struct {
		err  error
		name string
	}{
		{context.DeadlineExceeded, ErrorTimeout},
		{context.Canceled, ErrorCanceled},
		{sentinel.ErrOverBudget, ErrorOverBudget},
		{sentinel.ErrRefused, ErrorRefused},
		{sentinel.ErrPreempted, ErrorPreempted},
		{sentinel.ErrBusy, ErrorBusy},
		{sentinel.ErrMalformed, ErrorMalformed},
		{errors.ErrUnsupported, ErrorUnsupported},
		{sentinel.ErrEvent, ErrorEvent},
		{sentinel.ErrUnavailable, ErrorUnavailable},
	} {
		if errors.Is(err, known.err) {
			return known.name
		}
	}
	return ErrorOther
}

package sentineltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// How long the kit waits before it reports a fault. Where the contract wants 100 ms, it
// allows two seconds, so that a slow machine is not taken for a broken backend.
const (
	promptly     = 2 * time.Second
	answerWithin = time.Minute // a model may have to be loaded first
)

// RunBackend checks a [sentinel.Backend] against its contract. Each clause that
// can be seen from outside is a subtest on a backend of its own from newBackend;
// a failure says what was seen and which clause that breaks. Run it with -race.
//
// The backend has to be one that answers: with a server that is there and a model
// that obeys the JSON Schema of a verdict, or with a double of them. Every
// question is a judgement of a rule whose condition is true. Failures of a
// backend's server are for its own tests.
func RunBackend(t *testing.T, newBackend func(t *testing.T) sentinel.Backend) {
	t.Helper()
	for _, c := range backendCases() {
		t.Run(c.name, func(t *testing.T) {
			if err := c.check(t.Context(), newBackend(t)); err != nil {
				t.Errorf("%v\nThe contract: %s", err, c.explanation)
			}
		})
	}
}

// backendCase is one clause, or a part of one.
type backendCase struct {
	name, explanation string
	check             func(context.Context, sentinel.Backend) error
}

func backendCases() []backendCase {
	return []backendCase{
		{"1 concurrent", "1. It is safe for concurrent use.", checkConcurrent},
		{"1 request unchanged", "1. It is safe for concurrent use: requests share their schema, so nobody writes to it.", checkRequestUnchanged},
		{"2 cancelled before", "2. When ctx ends, Complete returns within 100 ms with an error that wraps ctx.Err().", checkCancelledBefore},
		{"2 cancelled meanwhile", "2. When ctx ends, Complete returns within 100 ms with an error that wraps ctx.Err().", checkCancelledMeanwhile},
		{"2 deadline", "2. When ctx ends, Complete returns within 100 ms with an error that wraps ctx.Err().", checkDeadline},
		{"2 usable afterwards", "2. When ctx ends, what Complete started has ended: the next call finds everything free.", checkUsableAfterwards},
		{"3 whole answer", "3. Response.Text is the whole answer, byte for byte.", checkWholeAnswer},
		{"4 schema", "4. Request.Schema is passed on where the model takes one.", checkSchema},
		{"5 images", "5. Images that cannot be passed on are errors.ErrUnsupported.", checkImages},
		{"6 little room", "6. A cut answer is an error (ErrUnavailable, ErrMalformed), never a part of it and nil.", checkLittleRoom},
		{"6 unknown model", "6. No answer is an error (ErrUnavailable, ErrMalformed), never \"\" and nil.", checkUnknownModel},
		{"7 no cache", "7. It keeps no cache: a wrapper does that.", checkNoCache},
		{"Response", "Numbers of a Response are what they say: tokens from 0, which means not reported; PTrue from 0 to 1.", checkNumbers},
		{"Pinger", "Ping says whether the server is there and has the default model, and ends when ctx does.", checkPinger},
		{"Warmer", "Warm loads the default model, and ends when ctx does.", checkWarmer},
		{"io.Closer", "Close may be called twice.", checkCloser},
	}
}

// judgement is the question that the cases ask. seed tells questions apart.
func judgement(seed int64) sentinel.Request {
	return sentinel.Request{
		System:    "You judge whether an action breaks a rule. Answer with one JSON object and nothing else.",
		Prompt:    "Rule: never force-push.\nAction: git push --force\n\nDoes the action break the rule?",
		Schema:    json.RawMessage(verdictSchema),
		MaxTokens: 300,
		Seed:      &seed,
		Valid:     validVerdict,
		Rule:      alwaysTrue{},
		Action:    &sentinel.Action{Trigger: sentinel.Bash, Tool: "Bash", Target: "git push --force", Forms: []string{"git push --force"}, Certain: true},
		Match:     sentinel.Match{OK: true},
	}
}

// verdictSchema has the two branches that the engine sends. The reason is short,
// so that even a model of random weights comes to an end.
const verdictSchema = `{"anyOf":[` +
	`{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["violation","confidence"],"additionalProperties":false},` +
	`{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":80}},"required":["violation","confidence","reason"],"additionalProperties":false}` +
	`]}`

// validVerdict accepts what the schema allows, and a clean verdict with a reason.
func validVerdict(text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var v struct {
		Violation  *bool       `json:"violation"`
		Confidence json.Number `json:"confidence"`
		Reason     string      `json:"reason"`
	}
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("%q is no verdict: %w", text, err)
	}
	if v.Violation == nil || v.Confidence == "" {
		return fmt.Errorf("%q is no verdict: violation or confidence is missing", text)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%q has something after the verdict", text)
	}
	return nil
}

// alwaysTrue is a rule that is about every action and violated by each.
type alwaysTrue struct{}

func (alwaysTrue) Spec() *sentinel.RuleSpec {
	return &sentinel.RuleSpec{ID: "sentineltest", Trigger: sentinel.Any, Severity: sentinel.SeverityBlock, Prompt: "never force-push"}
}
func (alwaysTrue) Match(*sentinel.Action) sentinel.Match {
	return sentinel.Match{OK: true}
}
func (alwaysTrue) Conditional() bool { return true }
func (alwaysTrue) When(context.Context, *sentinel.Action, sentinel.Match) (bool, error) {
	return true, nil
}

// result is what a call came to.
type result struct {
	resp     sentinel.Response
	err      error
	panicked any
}

// complete asks and waits no longer than limit, so that a backend that hangs or
// panics fails its case and not the whole run.
func complete(ctx context.Context, b sentinel.Backend, req sentinel.Request, limit time.Duration) (result, error) {
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.resp, r.err = b.Complete(ctx, req)
	}()
	clock := time.NewTimer(limit)
	defer clock.Stop()
	select {
	case r := <-done:
		return r, r.fault()
	case <-clock.C:
		return result{}, fmt.Errorf("the call of Complete has not returned after %s", limit)
	}
}

// fault finds what no call may come to.
func (r result) fault() error {
	if r.panicked != nil {
		return fmt.Errorf("the call of Complete panicked: %s", text.Cut(fmt.Sprint(r.panicked), shownMax))
	}
	if r.err == nil && strings.TrimSpace(r.resp.Text) == "" {
		return fmt.Errorf("the call of Complete returned an empty text and no error")
	}
	return nil
}

// answer asks and wants an answer.
func answer(ctx context.Context, b sentinel.Backend, req sentinel.Request) (sentinel.Response, error) {
	r, err := complete(ctx, b, req, answerWithin)
	if err == nil && r.err != nil {
		err = fmt.Errorf("the call of Complete failed: %w", r.err)
	}
	return r.resp, err
}

func checkConcurrent(ctx context.Context, b sentinel.Backend) error {
	const callers = 8
	failed := make(chan error, callers)
	for seed := range int64(callers) {
		go func() {
			_, err := answer(ctx, b, judgement(seed))
			failed <- err
		}()
	}
	var errs []error
	for range callers {
		errs = append(errs, <-failed)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("of %d calls at once not all were answered: %w", callers, err)
	}
	return nil
}

func checkRequestUnchanged(ctx context.Context, b sentinel.Backend) error {
	req := judgement(1)
	schema := slices.Clone(req.Schema)
	action := *req.Action
	if _, err := answer(ctx, b, req); err != nil {
		return err
	}
	if !bytes.Equal(schema, req.Schema) || *req.Seed != 1 || req.Action.Target != action.Target {
		return errors.New("after the call the request is another")
	}
	return nil
}

func checkCancelledBefore(ctx context.Context, b sentinel.Backend) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	r, err := complete(ctx, b, judgement(1), promptly)
	return errors.Join(err, ended(r, err, context.Canceled))
}

func checkCancelledMeanwhile(ctx context.Context, b sentinel.Backend) error {
	for seed, after := range moments() {
		r, err := cancelled(ctx, b, judgement(int64(seed)), after)
		if err == nil && r.err != nil {
			err = ended(r, nil, context.Canceled)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moments are when calls are cancelled, counted from their start: as they begin,
// and at times at which a model is at work.
func moments() []time.Duration {
	return []time.Duration{0, 0, 100 * time.Microsecond, time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond}
}

// cancelled asks and cancels the call. It may have been answered before.
func cancelled(ctx context.Context, b sentinel.Backend, req sentinel.Request, after time.Duration) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if after > 0 {
		defer time.AfterFunc(after, cancel).Stop()
		return complete(ctx, b, req, after+promptly)
	}
	done := make(chan struct{})
	var r result
	var err error
	go func() {
		defer close(done)
		r, err = complete(ctx, b, req, promptly)
	}()
	cancel()
	<-done
	return r, err
}

func checkDeadline(ctx context.Context, b sentinel.Backend) error {
	ctx, cancel := context.WithDeadline(ctx, time.Now().Add(-time.Second))
	defer cancel()
	r, err := complete(ctx, b, judgement(1), promptly)
	return errors.Join(err, ended(r, err, context.DeadlineExceeded))
}

// ended checks that a call whose context was over says so. If it did not return
// at all, that has been said.
func ended(r result, notReturned, why error) error {
	if notReturned == nil && !errors.Is(r.err, why) {
		return fmt.Errorf("with a context that had ended Complete returned %q and error %v, which does not wrap %q", r.resp.Text, r.err, why)
	}
	return nil
}

// usableSeed is the seed of the call that comes after cancelled ones.
const usableSeed = 100

func checkUsableAfterwards(ctx context.Context, b sentinel.Backend) error {
	for seed, after := range moments() {
		if _, err := cancelled(ctx, b, judgement(int64(seed)), after); err != nil {
			return err
		}
	}
	if _, err := answer(ctx, b, judgement(usableSeed)); err != nil {
		return fmt.Errorf("after cancelled calls: %w", err)
	}
	return nil
}

func checkWholeAnswer(ctx context.Context, b sentinel.Backend) error {
	resp, err := answer(ctx, b, judgement(1))
	if err != nil {
		return err
	}
	if !json.Valid([]byte(resp.Text)) {
		return fmt.Errorf("the text is not one whole JSON value: %q", resp.Text)
	}
	return nil
}

func checkNumbers(ctx context.Context, b sentinel.Backend) error {
	req := judgement(1)
	req.Logprobs = true
	resp, err := answer(ctx, b, req)
	switch {
	case err != nil:
		return err
	case resp.PromptTokens < 0 || resp.OutputTokens < 0:
		return fmt.Errorf("the answer took %d tokens of the prompt and %d of output", resp.PromptTokens, resp.OutputTokens)
	case resp.PTrue != nil && !(*resp.PTrue >= 0 && *resp.PTrue <= 1):
		return fmt.Errorf("the probability of true is %v", *resp.PTrue)
	}
	return nil
}

func checkSchema(ctx context.Context, b sentinel.Backend) error {
	for seed := range int64(4) {
		resp, err := answer(ctx, b, judgement(seed))
		if err != nil {
			return err
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(resp.Text), &object) != nil {
			continue // the case for clause 3 reports it
		}
		if err := validVerdict(resp.Text); err != nil {
			return err
		}
	}
	return nil
}

func checkImages(ctx context.Context, b sentinel.Backend) error {
	req := judgement(1)
	req.Images = []sentinel.Image{{MIME: "image/png", Data: onePixel()}}
	r, err := complete(ctx, b, req, answerWithin)
	if err == nil && r.err != nil && !errors.Is(r.err, errors.ErrUnsupported) {
		return fmt.Errorf("with an image Complete failed, but not with errors.ErrUnsupported: %w", r.err)
	}
	return err
}

// onePixel is a PNG of one black pixel.
func onePixel() []byte {
	return []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
		"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82")
}

func checkLittleRoom(ctx context.Context, b sentinel.Backend) error {
	req := judgement(1)
	req.MaxTokens = 1
	r, err := complete(ctx, b, req, answerWithin)
	switch {
	case err != nil:
		return err
	case r.err == nil && strings.HasPrefix(strings.TrimSpace(r.resp.Text), "{") && !json.Valid([]byte(r.resp.Text)):
		return fmt.Errorf("an answer that was cut after one token came with no error: %q", r.resp.Text)
	}
	return known(r.err)
}

func checkUnknownModel(ctx context.Context, b sentinel.Backend) error {
	req := judgement(1)
	req.Model = "sentineltest-no-such-model"
	r, err := complete(ctx, b, req, answerWithin)
	if err != nil {
		return err
	}
	return known(r.err)
}

// known checks that an error is one of the documented kinds.
func known(err error) error {
	if err == nil || errors.Is(err, sentinel.ErrUnavailable) || errors.Is(err, sentinel.ErrMalformed) || errors.Is(err, sentinel.ErrRefused) {
		return nil
	}
	return fmt.Errorf("the error wraps neither ErrUnavailable nor ErrMalformed nor ErrRefused: %w", err)
}

func checkNoCache(ctx context.Context, b sentinel.Backend) error {
	for range 2 {
		resp, err := answer(ctx, b, judgement(1))
		if err != nil {
			return err
		}
		if resp.Cached {
			return errors.New("the same question was answered from a cache (Response.Cached)")
		}
	}
	return nil
}

func checkPinger(ctx context.Context, b sentinel.Backend) error {
	p, ok := sentinel.As[sentinel.Pinger](b)
	if !ok {
		return nil
	}
	return checkOptional(ctx, "Ping", p.Ping)
}

func checkWarmer(ctx context.Context, b sentinel.Backend) error {
	w, ok := sentinel.As[sentinel.Warmer](b)
	if !ok {
		return nil
	}
	return checkOptional(ctx, "Warm", w.Warm)
}

// checkOptional calls Ping or Warm with a context that lives and one that does not.
func checkOptional(ctx context.Context, method string, call func(context.Context, string) error) error {
	if err := within(answerWithin, func() error { return call(ctx, "") }); err != nil {
		return fmt.Errorf("%s failed: %w", method, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if err := within(promptly, func() error { return call(ctx, "") }); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("with a context that had ended %s returned %v, which does not wrap %q", method, err, context.Canceled)
	}
	return nil
}

func checkCloser(_ context.Context, b sentinel.Backend) error {
	c, ok := sentinel.As[io.Closer](b)
	if !ok {
		return nil
	}
	return within(promptly, func() error { return errors.Join(c.Close(), c.Close()) })
}

// within calls f and gives it up when limit has passed.
func within(limit time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	clock := time.NewTimer(limit)
	defer clock.Stop()
	select {
	case err := <-done:
		return err
	case <-clock.C:
		return fmt.Errorf("has not returned after %s", limit)
	}
}

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// shadowCommand is the hidden command by which a hook has shadow rules judged once
// its agent has the answer.
const shadowCommand = "shadow-work"

// shadowTime bounds what one child does: its model may wait for the GPU.
const shadowTime = 5 * time.Minute

// shadowOrder is the input of that command.
type shadowOrder struct {
	Starts []string        `json:"starts"` // folders from which rules are looked for
	Call   json.RawMessage `json:"call"`   // see [project.ReadShadow]
}

// judgeLater leaves to a child what shadow rules have to say about the call. With
// --wait the child is waited for.
func (h *hookCall) judgeLater(p *project.Project, d sentinel.Decision) {
	call, err := p.KeepShadow(h.event, d)
	if call == nil && err == nil {
		return
	}
	var wait func() error
	if err == nil {
		var order []byte
		if order, err = json.Marshal(shadowOrder{h.starts(), call}); err == nil {
			wait, err = leaveBehind(childEnv(h.env.Environ, append(p.KeyNames(), observerNames(h.env.Environ)...)), shadowCommand, order)
		}
	}
	switch {
	case err != nil:
		p.NoteOnce("shadow", h.event.Agent, err.Error())
	case h.flags.wait:
		wait() // what went wrong there the child has noted itself
	}
}

// runShadowWork is the hidden command: see [hookCall.judgeLater].
func runShadowWork(env *Env) (status int) {
	refuse := func(err error) int {
		fmt.Fprintln(env.Stderr, text.OneLine("sentinel "+shadowCommand+": "+err.Error()))
		return exitError
	}
	input, err := io.ReadAll(io.LimitReader(env.Stdin, maxWork+1))
	if err != nil {
		return refuse(err)
	}
	var order shadowOrder
	if err := json.Unmarshal(input, &order); err != nil {
		return refuse(fmt.Errorf("the work on standard input is not understood; a hook starts this, not a person: %w", err))
	}
	notes := &noteHandler{}
	opts := env.project()
	opts.Shadow, opts.Logger = sentinel.ShadowOnly, slog.New(notes)
	call, err := project.ReadShadow(order.Call, opts)
	if err != nil {
		return refuse(err)
	}
	p := project.Open(append(order.Starts, call.Starts()...), opts)
	notes.project, notes.agent = p, call.Event.Agent
	defer func() {
		if cause := recover(); cause != nil {
			p.NoteOnce("shadow", call.Event.Agent, fmt.Sprintf("internal error: %v", cause))
			status = exitError
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), shadowTime)
	defer cancel()
	d, err := p.JudgeShadow(ctx, call)
	observeHere(ctx, env, p, call.Event, d)
	if err != nil {
		p.NoteOnce("shadow", call.Event.Agent, text.OneLine(err.Error()))
		return exitError
	}
	return exitOK
}

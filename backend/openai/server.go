package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/text"
)

// serverInfo is what servers say of themselves and of their models, each some of it.
type serverInfo struct {
	Version   string `json:"version"`
	Build     string `json:"build_info"`
	ModelPath string `json:"model_path"`
	Data      []struct {
		ID   string `json:"id"`
		Root string `json:"root"` // vLLM: the model behind a name of its operator's
		Arch string `json:"arch"` // LM Studio: the family
	} `json:"data"`
}

// makes are the servers that have a page of their own, besides their /v1. The make is
// shown to the user and chooses nothing: see [Backend.Probe].
var makes = []struct{ path, name string }{
	{"version", "vLLM"}, {"props", "llama.cpp"}, {"api/v0/models", "LM Studio"}, {"api/version", "Ollama"}, {"get_server_info", "SGLang"},
}

// about is what is known of a server and a model.
type about struct {
	Server string `json:"server"` // with its version; "" if it does not say
	Family string `json:"family"` // or the model's own name, behind the one it is asked by
}

// of reads what a server of a make said about a model; ok is false if it said nothing.
func (a *about) of(name, model string, t *serverInfo) (ok bool) {
	arch := ""
	for _, m := range t.Data {
		if m.ID == model {
			arch = m.Arch
		}
	}
	if arch == "" && t.ModelPath == "" && t.Build == "" && t.Version == "" {
		return false
	}
	a.Server = strings.TrimSpace(name + " " + cmp.Or(t.Version, t.Build))
	a.Family = cmp.Or(arch, path.Base(strings.ReplaceAll(t.ModelPath, `\`, "/")))
	if a.Family == "." {
		a.Family = ""
	}
	return true
}

// look asks a server what it is, and what a model is. The pages are asked for at once, as
// this may be on a hook's way. With an error comes what was told all the same.
func (b *Backend) look(ctx context.Context, model string) (a about, err error) {
	up := ""
	if strings.HasSuffix(b.client.Where(), "/v1") {
		up = "../"
	}
	var list serverInfo
	pages, faults := make([]serverInfo, len(makes)), make([]error, len(makes))
	var all sync.WaitGroup
	for i, m := range makes {
		all.Go(func() { faults[i] = b.client.Get(ctx, up+m.path, &pages[i]) })
	}
	err = b.client.Get(ctx, "models", &list)
	all.Wait()
	for i, m := range makes {
		if faults[i] == nil && a.of(m.name, model, &pages[i]) {
			break
		}
	}
	for _, m := range list.Data {
		if m.ID == model && m.Root != "" && m.Root != model {
			a.Family = cmp.Or(a.Family, m.Root)
		}
	}
	if a.Family != "" || ctx.Err() == nil && !away(err) {
		return a, nil
	}
	return a, cmp.Or(err, ctx.Err())
}

// away reports whether a server did not answer, or not this caller. One that lists no
// models is not.
func away(err error) bool {
	var e *webapi.StatusError
	return err != nil && (!errors.As(err, &e) || e.Status != http.StatusNotFound && e.Status != http.StatusMethodNotAllowed)
}

// about returns what is known of a model, which is asked for once, and again after a week.
// With an error it is a part.
func (b *Backend) about(ctx context.Context, model string) (a about, err error) {
	if b.client.Is(ownHost) {
		return about{Server: "OpenAI"}, nil
	}
	text, err := b.models.Learn(ctx, model, func(ctx context.Context) (string, error) {
		a, err := b.look(ctx, model)
		text, _ := json.Marshal(a) // texts can always be marshalled
		return string(text), err
	})
	return a, cmp.Or(err, json.Unmarshal([]byte(text), &a))
}

// Family returns what the server says a model is of, or is behind its name; "" if it does
// not say. name "" means the backend's own model.
func (b *Backend) Family(ctx context.Context, name string) (string, error) {
	model, err := b.client.Model(name)
	if err != nil {
		return "", err
	}
	a, err := b.about(ctx, model)
	return a.Family, err
}

// ForgetFamily has the server asked again. The result of a probe stays.
func (b *Backend) ForgetFamily(name string) { b.models.Forget(cmp.Or(name, b.own)) }

// notApplied is kept in place of the name of a way.
const notApplied = "not applied"

// Unbound reports whether the server was seen in the last week not to apply a schema to
// a model's answers, in whatever way it was sent.
func (b *Backend) Unbound(name string) bool {
	kept, _, known := b.bound.Known(cmp.Or(name, b.own))
	return known && kept == notApplied
}

// Probe asks a model once a week for an answer that only its schema demands, with the
// schema sent in one way after the other until one is obeyed. Servers that do not know a
// way refuse it, or ignore it silently. OpenAI itself is not asked.
func (b *Backend) Probe(ctx context.Context, name string) error {
	model, err := b.client.Model(name)
	if err != nil || b.client.Is(ownHost) {
		return err
	}
	req := capabilities.ProbeQuestion()
	_, err = b.bound.Of(model, func() (string, error) {
		var refused error
		answered := false
		for _, w := range ways {
			resp, err := b.try(ctx, model, req, w)
			if errors.Is(err, sentinel.ErrMalformed) { // whether it thinks unasked is known now
				resp, err = b.try(ctx, model, req, w)
			}
			var e *webapi.StatusError
			switch {
			case err == nil && capabilities.Obeyed(resp.Text):
				return w.name, nil
			case err == nil || errors.Is(err, sentinel.ErrMalformed):
				answered = true
			case errors.As(err, &e) && slices.Contains(refusals, e.Status):
				refused = err
			case errors.Is(err, sentinel.ErrRefused) && answered: // the next day would start again
				return notApplied, nil
			default:
				return "", err
			}
		}
		if !answered {
			return "", refused // of whatever form: it is not the schema
		}
		return notApplied, nil
	})
	return err
}

// try puts one question of a probe, if it may be put.
func (b *Backend) try(ctx context.Context, model string, req sentinel.Request, w way) (sentinel.Response, error) {
	if b.count != nil {
		if err := b.count(model); err != nil {
			return sentinel.Response{}, err
		}
	}
	return b.ask(ctx, model, req, w)
}

// way is how a schema is sent to a model: the one that a probe found, else the standard.
func (b *Backend) way(model string) way {
	kept, _, _ := b.bound.Known(model)
	for _, w := range ways {
		if w.name == kept {
			return w
		}
	}
	return ways[0]
}

// Abilities says what server and model are, in words; untried is why no probe was made, if
// none was.
func (b *Backend) Abilities(ctx context.Context, name, untried string) (string, error) {
	model, err := b.client.Model(name)
	if err != nil {
		return "", err
	}
	a, err := b.about(ctx, model)
	words := []string{cmp.Or(a.Server, "a server that does not say what it is")}
	switch {
	case a.Family != "":
		words = append(words, "model "+a.Family)
	case err != nil:
		words = append(words, "model unknown: "+err.Error())
	}
	if mode(b.client.Mode(model))&thinksFirst != 0 {
		words = append(words, "thinks unasked")
	}
	kept, since, known := b.bound.Known(model)
	switch day := since.Format(time.DateOnly); {
	case kept == notApplied && known:
		words = append(words, "schemas are not applied ("+day+")")
	case known:
		words = append(words, "schemas are applied, sent as "+kept+" ("+day+")")
	case !b.client.Is(ownHost):
		words = append(words, "schemas not tried"+text.Unless(untried == "", ": "+untried))
	}
	return strings.Join(words, ", "), nil
}

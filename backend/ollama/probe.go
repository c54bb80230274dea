package ollama

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/capabilities"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Family returns what the server says a model is of, as "gemma3" or "gptoss"; "" means
// the backend's own model. It is asked for once, and again after a week.
func (b *Backend) Family(ctx context.Context, name string) (string, error) {
	name = cmp.Or(name, b.model)
	return b.families.Learn(ctx, name, func(ctx context.Context) (string, error) {
		about, err := b.show(ctx, name)
		return about.Details.Family, err
	})
}

// ForgetFamily has the family of a model asked for again. What is known of schemas stays:
// only a probe may change it, and no answer that the judged action provoked.
func (b *Backend) ForgetFamily(name string) { b.families.Forget(cmp.Or(name, b.model)) }

// What is kept of a probe.
const (
	applied    = "applied"
	notApplied = "not applied"
)

// Unbound reports whether the server was seen in the last week not to apply a schema to
// a model's answers. Versions 0.21.1 to 0.31.1 do not for models whose thoughts they take
// out themselves, and later ones make the answers of gpt-oss empty.
func (b *Backend) Unbound(name string) bool {
	kept, _, known := b.bound.Known(cmp.Or(name, b.model))
	return known && kept == notApplied
}

// Probe asks a model once a week for an answer that only its schema demands.
func (b *Backend) Probe(ctx context.Context, name string) error {
	name = cmp.Or(name, b.model)
	_, err := b.bound.Of(name, func() (string, error) {
		if b.count != nil {
			if err := b.count(name); err != nil {
				return "", err
			}
		}
		answer, err := b.ask(ctx, name, capabilities.ProbeQuestion())
		switch {
		case err != nil:
			return "", err
		case capabilities.Obeyed(answer.Message.Content):
			return applied, nil
		}
		return notApplied, nil
	})
	if errors.Is(err, sentinel.ErrMalformed) {
		return nil // the next question says what is wrong with the model
	}
	return err
}

// Abilities says what server and model are, in words; untried is why no probe was made, if
// none was.
func (b *Backend) Abilities(ctx context.Context, name, untried string) (string, error) {
	name = cmp.Or(name, b.model)
	version, err := b.version(ctx, name)
	if err != nil {
		return "", err
	}
	about, err := b.show(ctx, name)
	if err != nil {
		return "", err
	}
	words := []string{"Ollama " + version}
	if about.Details.Family != "" {
		words = append(words, "family "+about.Details.Family)
	}
	for ability, means := range map[string]string{"thinking": "can think", "vision": "sees images"} {
		if slices.Contains(about.Capabilities, ability) {
			words = append(words, means)
		}
	}
	slices.Sort(words[1:])
	if about.Parser != "" {
		words = append(words, "parser "+about.Parser)
	}
	if kept, since, known := b.bound.Known(name); known {
		words = append(words, "schemas are "+kept+" ("+since.Format(time.DateOnly)+")")
	} else {
		words = append(words, "schemas not tried"+text.Unless(untried == "", ": "+untried))
	}
	return strings.Join(words, ", "), nil
}

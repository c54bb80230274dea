package project

import (
	"cmp"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// A Use is a backend that a folder asks for something.
type Use struct {
	Backend string
	Model   string   // "" when the backend has none
	Named   bool     // the model is not the backend's own: requests name it
	For     []string // what it is asked for, in words: "rules", "rule no-secrets", "fallback", …
}

// Purposes of a backend. Others are "rule ID" and "fallback of rule ID".
const (
	ForRules         = "rules"       // those that name no backend of their own
	ForNoRule        = "no rule yet" // it is the global one by default, and no rule asks it
	ForFallback      = "fallback"
	ForSecondOpinion = "second opinion"
	ForContext       = "session context"
	ForScribe        = "scribe"
)

// Uses lists the backends that the folder's configuration and rules ask, each
// model of one by itself: that of the configuration first.
func (f *Folder) Uses() []Use {
	var uses []Use
	add := func(name, model, purpose string) {
		own := f.Config.Model(name)
		u := Use{Backend: name, Model: cmp.Or(model, own)}
		u.Named = u.Model != own
		at := slices.IndexFunc(uses, func(v Use) bool { return v.Backend == u.Backend && v.Model == u.Model })
		if at < 0 {
			uses, at = append(uses, u), len(uses)
		}
		if !slices.Contains(uses[at].For, purpose) {
			uses[at].For = append(uses[at].For, purpose)
		}
	}
	c := &f.Config
	global := ForNoRule
	if f.configured || slices.ContainsFunc(f.Rules(), func(r *rule.Rule) bool {
		spec := r.Spec()
		return spec.Err == nil && !r.Off() && spec.Asks() && cmp.Or(spec.Backend, c.Backend) == c.Backend && spec.Model == ""
	}) {
		global = ForRules
	}
	add(c.Backend, "", global)
	for _, name := range c.Fallback {
		add(name, "", ForFallback)
	}
	if second := c.SecondBackend(); second != "" {
		add(second, "", ForSecondOpinion)
	}
	for _, r := range f.Rules() {
		spec := r.Spec()
		if spec.Err != nil || r.Off() || !spec.Asks() {
			continue
		}
		if spec.Backend != "" && spec.Backend != c.Backend || spec.Model != "" {
			add(cmp.Or(spec.Backend, c.Backend), spec.Model, "rule "+spec.ID)
		}
		for _, name := range spec.Fallback {
			if !slices.Contains(c.Fallback, name) {
				add(name, "", "fallback of rule "+spec.ID)
			}
		}
	}
	if c.Context.Enabled && c.ContextBackend() != sentinel.Builtin {
		add(c.ContextBackend(), c.ContextModel(), ForContext)
	}
	if name := c.ScribeBackend(); c.Scribe.Enabled && name != sentinel.Builtin {
		add(name, c.ExtractionModel(), ForScribe)
		add(name, c.SynthesisModel(), ForScribe)
	}
	return uses
}

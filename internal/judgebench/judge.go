package judgebench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/profile"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/project"
)

// A Spec names a judge: a backend, and if need be its model and profile.
type Spec struct{ Backend, Model, Profile string }

// ParseSpec reads NAME[=MODEL][@PROFILE].
func ParseSpec(s string) Spec {
	name, model, hasModel := strings.Cut(s, "=")
	rest := &name
	if hasModel {
		rest = &model
	}
	spec := Spec{}
	if i := strings.LastIndexByte(*rest, '@'); i >= 0 { // a model may have one, too
		*rest, spec.Profile = (*rest)[:i], (*rest)[i+1:]
	}
	spec.Backend, spec.Model = name, model
	return spec
}

// String is the inverse of [ParseSpec].
func (s Spec) String() string {
	out := s.Backend
	if s.Model != "" {
		out += "=" + s.Model
	}
	if s.Profile != "" || strings.Contains(s.Model, "@") {
		out += "@" + s.Profile
	}
	return out
}

// A Judge is one that is measured. It is safe for concurrent use.
type Judge struct {
	Spec      // with the model and the profile that count
	Threshold float64

	opts     ruletest.Options
	identity string // equal for judges that give equal answers to equal questions
}

// NewJudge finds a judge in a folder. An empty name is the folder's own.
func NewJudge(ctx context.Context, spec Spec, f *project.Folder, s *project.Surroundings) (*Judge, error) {
	j := &Judge{Spec: spec, opts: ruletest.Options{Engine: s.Engine, Root: s.Root, Build: s.Build}}
	j.Backend = cmp.Or(j.Backend, s.Engine.Default)
	j.Threshold = max(cmp.Or(s.Engine.Threshold, sentinel.DefaultThreshold), 0)
	b := s.Engine.Backends[j.Backend]
	if b == nil {
		return nil, fmt.Errorf("no judge is called %q; there are: %s", j.Backend, strings.Join(sorted(s.Engine.Backends), ", "))
	}
	if j.Backend == sentinel.Builtin {
		j.Model = ""
	} else {
		j.Model = cmp.Or(j.Model, f.Config.Model(j.Backend))
	}
	j.identity = strings.TrimSpace(j.Backend + " " + j.Model)
	if settings, ok := f.Config.SettingsOf(j.Backend); ok {
		about := settings.About()
		j.identity += "\n" + cmp.Or(settings.Identity(j.Model), about.Where())
	}
	p, profiled := sentinel.As[*profile.Backend](b)
	if !profiled && spec.Profile != "" {
		return nil, fmt.Errorf("%s takes no profile: leave @%s out", j.Backend, spec.Profile)
	}
	if profiled {
		name, err := p.Of(ctx, j.Model)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.Spec, err)
		}
		j.Profile = name
		j.identity += "\n" + name + " " + p.Digest(ctx, j.Model)
	}
	j.opts.Engine.FailOpen, j.opts.Engine.SecondOpinion = true, "" // "not all was seen" is not a failure of the judge
	j.opts.Engine.Backends = map[string]sentinel.Backend{j.Backend: asked{b}}
	return j, nil
}

// asked asks for the probability of the answer too, after all sessions.
type asked struct{ sentinel.Backend }

// Complete asks.
func (a asked) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	req.Priority, req.Logprobs = sentinel.PriorityScribe, true
	return a.Backend.Complete(ctx, req)
}

// Unwrap returns the backend that is asked.
func (a asked) Unwrap() sentinel.Backend { return a.Backend }

// question identifies all that the judge is asked about a case, and the judge: when its
// profile, the rule's prompt or Sentinel's own words change, so does it. "" means that
// nothing is asked.
func (j *Judge) question(ctx context.Context, r *ruletest.Judged, c *Case) (string, error) {
	said, err := questions(ctx, r, c, `{"violation":false,"confidence":1}`)
	if err != nil || len(said) == 0 {
		return "", err
	}
	if len(c.Action.Asked) > 0 { // after a violation there may be one more
		more, err := questions(ctx, r, c, `{"violation":true,"confidence":1}`)
		if err != nil {
			return "", err
		}
		said = slices.Concat(said, more)
	}
	slices.Sort(said) // windows are asked in no order, and a violation ends them
	return digest.Hex(j.identity + "\x00" + c.Action.Key() + "\x00" + strings.Join(slices.Compact(said), "\x00"))[:20], nil
}

// questions collects the questions of a case to a judge that answers each in one way.
func questions(ctx context.Context, r *ruletest.Judged, c *Case, answer string) (said []string, err error) {
	var mu sync.Mutex
	_, asked, err := r.With(sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		words := fmt.Sprintf("%q %q %q %q %q %d %v %v", req.System, req.Prompt, req.Criterion, req.Material, req.Schema, req.MaxTokens, req.Temperature, req.Think)
		if req.Fence != "" {
			words = strings.ReplaceAll(words, req.Fence, "FENCE")
		}
		mu.Lock()
		defer mu.Unlock()
		said = append(said, words)
		return sentinel.Response{Text: answer}, nil
	})).Ask(ctx, &c.Action)
	mu.Lock()
	defer mu.Unlock()
	if err != nil || !asked {
		return nil, err
	}
	return slices.Clone(said), nil
}

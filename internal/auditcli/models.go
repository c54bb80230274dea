package auditcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/project"
)

// models are the backends of the user's own configuration, each built and limited
// once for all audits of this process.
type models struct {
	config   *config.Config
	ask      func(name string) (sentinel.Backend, error)
	built    map[string]sentinel.Backend
	parallel map[string]int // calls under way at once, by backend
}

// openModels reads the user's configuration. Neither the working folder nor an
// audited repository has a part in it.
func openModels(env *command.Env, audited []string) (*models, error) {
	o := project.Environment(env.Getenv)
	o.Backends, o.Lock, o.Now = env.Backends, env.Lock, env.Now
	if o.ConfigDir != "" && slices.ContainsFunc(audited, func(repo string) bool { return within(env.Dir, o.ConfigDir, repo) }) {
		return nil, fmt.Errorf("SENTINEL_CONFIG_DIR names %s, which belongs to what is audited: an audited repository does not choose its judges", o.ConfigDir)
	}
	p := project.OpenUser(o)
	if err := sayProblems(env, p.Nearest()); err != nil {
		return nil, err
	}
	m := &models{
		config: &p.Nearest().Config, ask: p.Models().Asker(nil, ""),
		built: map[string]sentinel.Backend{}, parallel: map[string]int{},
	}
	if o.UserDir == "" {
		m.ask = func(string) (sentinel.Backend, error) {
			return nil, fmt.Errorf("%w: there is no folder for your configuration; set HOME", sentinel.ErrRefused)
		}
	}
	return m, nil
}

// sayProblems prints warnings about the configuration. A mistake in it is an error,
// because the default in its place may be another model at another address.
func sayProblems(env *command.Env, f *project.Folder) error {
	var wrong []error
	for _, p := range f.Problems() {
		p.File = filepath.Join(f.Dir, filepath.Base(p.File))
		switch {
		case !strings.HasPrefix(filepath.Base(p.File), "config."):
		case p.Warning && !strings.Contains(p.Message, "key `backends."): // which may have been meant for another model or address
			complain(env, "warning: "+p.Error())
		default:
			wrong = append(wrong, p)
		}
	}
	return errors.Join(wrong...)
}

// within reports whether path is in folder, both relative to dir. There is nothing
// in an address that is not a folder.
func within(dir, path, folder string) bool {
	absolute := func(p string) string {
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return real
		}
		return filepath.Clean(p)
	}
	return safefile.Within(absolute(path), absolute(folder))
}

// model is a model behind a backend. An unknown name is an error; a backend that
// may not be asked says so when it is.
func (m *models) model(name, model string) (judges.Model, error) {
	b, err := m.backend(name)
	if err != nil {
		return judges.Model{}, err
	}
	return judges.Model{Name: name, Backend: b, Model: cmp.Or(model, m.config.Model(name))}, nil
}

func (m *models) backend(name string) (sentinel.Backend, error) {
	if b, known := m.built[name]; known {
		return b, nil
	}
	b, err := m.ask(name)
	switch {
	case errors.Is(err, sentinel.ErrRefused):
		b = refused{err}
	case err != nil:
		return nil, err
	}
	m.parallel[name] = m.config.Slots(name)
	m.built[name] = backend.Limited(b, int64(m.parallel[name]))
	return m.built[name], nil
}

// refused is a backend that the configuration forbids.
type refused struct{ err error }

// Complete says why.
func (r refused) Complete(context.Context, sentinel.Request) (sentinel.Response, error) {
	return sentinel.Response{}, r.err
}

// Ping says why.
func (r refused) Ping(context.Context, string) error { return r.err }

// chosen returns the models that the flags give to the judges, and the one that
// looks at diagrams.
func (m *models) chosen(f *auditFlags) (of map[audit.Judge]judges.Model, vision judges.Model, err error) {
	name := cmp.Or(f.backend, m.config.Backend)
	own := map[audit.Judge]string{}
	for _, text := range f.judges {
		judge, backend, found := strings.Cut(text, "=")
		if !found || backend == "" {
			return nil, vision, fmt.Errorf("--judge %s: write JUDGE=BACKEND or JUDGE=BACKEND:MODEL", text)
		}
		role, err := parseJudge(judge)
		if err != nil {
			return nil, vision, err
		}
		own[role] = backend
	}
	of = map[audit.Judge]judges.Model{}
	for _, judge := range audit.Judges() {
		backend, model := name, f.model
		if text, named := own[judge]; named {
			backend, model, _ = strings.Cut(text, ":")
		}
		if of[judge], err = m.model(backend, model); err != nil {
			return nil, vision, err
		}
	}
	model := f.visionModel
	if f.visionBackend == "" {
		model = cmp.Or(model, f.model)
	}
	vision, err = m.model(cmp.Or(f.visionBackend, name), model)
	return of, vision, err
}

func parseJudge(name string) (audit.Judge, error) {
	for _, j := range audit.Judges() {
		if name == string(j) || strings.ReplaceAll(string(j), "_", "") == name {
			return j, nil
		}
	}
	return "", fmt.Errorf("--judge: there is no judge %q; there are prosecutor, defense and tech_lead", name)
}

// price returns the price of a million tokens of a model.
func (m *models) price(model string) (input, output float64) {
	p := m.config.Pricing[model]
	return p.Input, p.Output
}

package ollama

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// localOnly refuses cloud models until the configuration is trusted. A server on
// this machine passes those on to another one.
type localOnly struct {
	sentinel.Backend
	site *judge.Site
}

func (l localOnly) Unwrap() sentinel.Backend { return l.Backend }

func (l localOnly) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if err := l.check(req.Model); err != nil {
		return sentinel.Response{}, err
	}
	return l.Backend.Complete(ctx, req)
}

// Warm implements [sentinel.Warmer].
func (l localOnly) Warm(ctx context.Context, model string) error {
	if err := l.check(model); err != nil {
		return err
	}
	if w, ok := sentinel.As[sentinel.Warmer](l.Backend); ok {
		return w.Warm(ctx, model)
	}
	return nil
}

func (l localOnly) check(model string) error {
	if model = cmp.Or(model, l.site.Model); isCloud(model) && !l.site.Trusted() {
		return refuseCloud(l.site, model)
	}
	return nil
}

func refuseCloud(site *judge.Site, model string) error {
	return judge.NotTrusted(site.Program, fmt.Sprintf("the model %.80q runs on another machine", model))
}

// isCloud reports whether a name is that of a cloud model. As the server reads it,
// the tag follows the last colon, in any case of letters.
func isCloud(model string) bool {
	model = strings.ToLower(strings.TrimSpace(model))
	tag := strings.TrimSpace(model[strings.LastIndexByte(model, ':')+1:])
	return strings.Contains(model, ":") && (tag == "cloud" || strings.HasSuffix(tag, "-cloud"))
}

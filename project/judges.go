package project

import (
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/state"
)

// engineOptions are those of an engine by the configuration of f, for an agent's
// session.
func engineOptions(f *Folder, o *Options, session string) *sentinel.Options {
	c := &f.Config
	return &sentinel.Options{
		Backends: (&judges{f, o, session}).all(),
		Default:  c.Backend,
		Fallback: c.Fallback,

		SecondOpinion: secondOpinion(c),

		FailOpen:    c.FailOpen,
		Threshold:   threshold(c),
		MaxParallel: c.MaxParallel,
		RuleTimeout: time.Duration(c.TimeoutMS) * time.Millisecond,
		Think:       c.Think,
		ContentMax:  c.ContentMaxChars,
		CollectAll:  c.CollectAll,
		Logprobs:    c.Backends.Ollama.Confidence == "logprob",
		NoModel:     o.NoModel,
		Explain:     o.Explain,
		KeepAsked:   c.LogPrompts,
		Shadow:      o.Shadow,

		Begin:          begin,
		AdviceBackend:  c.ContextBackend(),
		AdviceModel:    c.ContextModel(),
		SessionContext: o.sessionContext,

		FenceKey: o.fenceKey,
		Told:     o.told(),
		Logger:   o.Logger,
	}
}

// threshold is the confidence from which a violation counts. A written 0 means
// that every violation does; the engine and the log take 0 for their default.
func threshold(c *config.Config) float64 {
	if c.ConfidenceThreshold == 0 {
		return -1
	}
	return c.ConfidenceThreshold
}

// secondOpinion is the backend that confirms blocks, "" for none.
func secondOpinion(c *config.Config) string {
	if c.Judge.SecondOpinion != "block" {
		return ""
	}
	return c.SecondBackend()
}

// fenceKey is the user's secret, nil where it cannot be kept.
func (o *Options) fenceKey() []byte {
	if o.StateDir == "" {
		return nil
	}
	key, err := state.Key(o.StateDir)
	if err != nil {
		o.Logger.Debug("sentinel: the user's key cannot be kept", "folder", o.StateDir, "error", err)
	}
	return key
}

package otel

import (
	"go.opentelemetry.io/otel/attribute"
)

// ScopeName is the instrumentation scope of all spans and metrics.
const ScopeName = "github.com/agentsentinel/sentinel/otel"

// Spans. The span of a rule has its id behind the name, that of a model call the
// model's name, as the conventions want it.
const (
	SpanDecision = "sentinel.decision" // the answer to a call
	SpanAdvice   = "sentinel.advice"   // what rules had to say after a tool has run
	SpanShadow   = "sentinel.shadow"   // shadow rules that were judged after the answer
	SpanRule     = "sentinel.rule"     // one rule on one action
	SpanChat     = "chat"              // one question to a model
)

// Metrics that no convention knows.
const (
	MetricDecisions        = "sentinel.decisions"
	MetricDecisionDuration = "sentinel.decision.duration"
	MetricEvaluations      = "sentinel.rule.evaluations"
	MetricRuleDuration     = "sentinel.rule.duration"
)

// Attributes that no convention knows.
const (
	KeyDecisionID       = attribute.Key("sentinel.decision.id")       // as in Sentinel's log
	KeyPhase            = attribute.Key("sentinel.phase")             // pre or post
	KeyVerdict          = attribute.Key("sentinel.verdict")           // allow, warn, ask, block, undecided
	KeyRulesMatched     = attribute.Key("sentinel.rules.matched")     // findings of the call, one for each rule and action
	KeyRulesJudged      = attribute.Key("sentinel.rules.judged")      // of those: passed or violated
	KeyRulesViolated    = attribute.Key("sentinel.rules.violated")    // of those: violated
	KeyRulesUnavailable = attribute.Key("sentinel.rules.unavailable") // of those: could not be judged
	KeyRuleID           = attribute.Key("sentinel.rule.id")           // as the rule file has it
	KeyRuleSeverity     = attribute.Key("sentinel.rule.severity")     // block, ask, warn, info
	KeyRuleMode         = attribute.Key("sentinel.rule.mode")         // enforce, shadow, allowed, paused, asked_for
	KeyTrigger          = attribute.Key("sentinel.trigger")           // file_write, file_read, bash, mcp
	KeyOutcome          = attribute.Key("sentinel.outcome")           // pass, violation, skipped, unavailable
	KeyConfidence       = attribute.Key("sentinel.confidence")        // from 0 to 1, as the judge stated it
	KeyNearMiss         = attribute.Key("sentinel.near_miss")         // the judge said violation, below the threshold
	KeyCached           = attribute.Key("sentinel.cached")            // the answer came from the cache: no model was asked
	KeyBackend          = attribute.Key("sentinel.backend")           // that answered, or was asked last
	KeyMuted            = attribute.Key("sentinel.muted")             // the agent had read the text in this session before
	KeyTainted          = attribute.Key("sentinel.tainted")           // the judged text tried to manipulate the judge
	KeyAskedFor         = attribute.Key("sentinel.asked_for")         // the person asked for the action
	KeyDisputed         = attribute.Key("sentinel.disputed")          // a second judge disagreed
	KeyWait             = attribute.Key("sentinel.wait.duration")     // seconds a model call waited for a slot and the GPU
)

// Attributes that only [Options.Details] adds.
const (
	KeyTarget = attribute.Key("sentinel.target")          // path, command line or server:tool; secrets are masked
	KeyReason = attribute.Key("sentinel.reason")          // why, in the judge's words; secrets are masked
	KeyQuote  = attribute.Key("sentinel.asked_for.quote") // with which words the person asked for it; secrets are masked
)

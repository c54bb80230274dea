// Package config reads config.yaml: every key, its default, and what is wrong
// with the file.
//
// [Parse] never fails as a whole: what parses counts, everything else keeps its
// default and is reported with its line, its column and what to write. A key
// that was not set is the zero value where another key is its default (a model, a
// backend, a URL); the methods of [Config] return what applies.
//
// A Config is plain data. encoding/json writes and reads it without loss, so a
// parsed one can be kept in a cache.
package config

//go:generate go test -run=^TestGenerated$ . -update

// Config holds every setting. The zero value is not useful: begin with [Default]. It
// is safe for concurrent use while it is not changed.
type Config struct {
	Backend         string   `yaml:"backend" json:"backend" jsonschema:"Judge of rules that name none: {backends}, or a backend of your program."`
	GlobalModel     string   `yaml:"model" json:"model" default:"gemma3:4b" jsonschema:"Model of that backend. Without it each backend has its own default."`
	GlobalOllamaURL string   `yaml:"ollama_url" json:"ollama_url" default:"(backends.ollama.url)" jsonschema:"Older name of backends.ollama.url, which wins."`
	Backends        Backends `yaml:"backends" json:"backends" jsonschema:"Settings of each backend."`
	Fallback        []string `yaml:"fallback" json:"fallback" jsonschema:"Backends to ask when a rule's own cannot judge. That may cost money and send code away."`

	TimeoutMS           int     `yaml:"timeout_ms" json:"timeout_ms" min:"1" max:"3600000" jsonschema:"Milliseconds for a model to judge one rule."`
	ConfidenceThreshold float64 `yaml:"confidence_threshold" json:"confidence_threshold" min:"0" max:"1" jsonschema:"Confidence (0 to 1) from which an answer is a violation."`
	MaxParallel         int     `yaml:"max_parallel" json:"max_parallel" min:"1" max:"1024" jsonschema:"Rules judged at the same time."`
	OllamaConcurrency   int     `yaml:"ollama_concurrency" json:"ollama_concurrency" min:"1" max:"1024" jsonschema:"Requests to Ollama at the same time."`
	Think               bool    `yaml:"think" json:"think" jsonschema:"Let a thinking model think: slower, more exact."`
	FailOpen            bool    `yaml:"fail_open" json:"fail_open" jsonschema:"If a rule cannot be judged: true lets the action pass, false is a violation."`
	ContentMaxChars     int     `yaml:"content_max_chars" json:"content_max_chars" min:"1" max:"10000000" jsonschema:"Characters of content, or of an MCP tool's arguments, in one question."`
	ContentWindows      int     `yaml:"content_windows" json:"content_windows" min:"1" max:"64" jsonschema:"Questions about one longer action. What they do not reach could not be judged."`
	CollectAll          bool    `yaml:"collect_all" json:"collect_all" jsonschema:"Judge all rules even when one has blocked."`
	HookTimeoutS        int     `yaml:"hook_timeout_s" json:"hook_timeout_s" min:"2" max:"3600" jsonschema:"Seconds that the agent waits for the hook."`

	BriefWords int  `yaml:"brief_words" json:"brief_words" min:"0" max:"5000" jsonschema:"Words in which a new session is told the rules that people wrote. 0 tells none."`
	BriefLines bool `yaml:"brief_lines" json:"brief_lines" jsonschema:"Also tell which lines of instruction files are enforced."`

	OfferUndo bool `yaml:"offer_undo" json:"offer_undo" jsonschema:"Your yes to a rule with undo runs the command that loses nothing. Claude Code only."`

	LogFile  string `yaml:"log_file" json:"log_file" nullable:"true" jsonschema:"Log, relative to the project's folder. null writes none."`
	LogMaxMB int    `yaml:"log_max_mb" json:"log_max_mb" min:"1" max:"1048576" jsonschema:"Megabytes at which the log is rotated."`
	LogKeep  int    `yaml:"log_keep" json:"log_keep" min:"0" max:"10000" jsonschema:"Rotated logs to keep."`

	LogPrompts bool `yaml:"log_prompts" json:"log_prompts" jsonschema:"Keep prompts and answers for stats --explain in your state folder, secrets masked."`

	Pin bool `yaml:"pin" json:"pin" jsonschema:"Keep a project's rules in force until sentinel accept takes weaker ones over. Only in the user's own configuration."`

	RulesDir    string `yaml:"rules_dir" json:"rules_dir" jsonschema:"Folder of the rules, relative to this file's."`
	DefaultMode string `yaml:"default_mode" json:"default_mode" enum:"enforce,shadow" jsonschema:"Mode of rules that set none: enforce or shadow."`

	ToolMap      map[string]string   `yaml:"tool_map" json:"tool_map" enum:"file_write,bash,mcp,file_read" default:"(built in)" jsonschema:"What each tool does: file_write, bash, mcp or file_read, instead of the built-in names."`
	ToolMapExtra map[string]string   `yaml:"tool_map_extra" json:"tool_map_extra" enum:"file_write,bash,mcp,file_read" default:"{}" jsonschema:"As tool_map, added to the built-in names."`
	ToolArgs     map[string]ToolArgs `yaml:"tool_args" json:"tool_args" jsonschema:"For unknown tools: which arguments hold path, content and command."`
	MCPPrefix    string              `yaml:"mcp_prefix" json:"mcp_prefix" jsonschema:"How names of MCP tools begin."`
	MCPSeparator string              `yaml:"mcp_separator" json:"mcp_separator" jsonschema:"Text between server and tool."`
	Derive       bool                `yaml:"derive" json:"derive" jsonschema:"Judge what commands and MCP tools do to files."`

	Judge   Judge            `yaml:"judge" json:"judge" jsonschema:"How answers of models are used."`
	Cache   Cache            `yaml:"cache" json:"cache" jsonschema:"The cache of judgements."`
	Breaker Breaker          `yaml:"breaker" json:"breaker" jsonschema:"When a backend that keeps failing is left alone."`
	Lock    Lock             `yaml:"lock" json:"lock" jsonschema:"The lock by which processes share one GPU."`
	Pricing map[string]Price `yaml:"pricing" json:"pricing" jsonschema:"What each model costs, by its name."`
	Budget  Budget           `yaml:"budget" json:"budget" jsonschema:"What may be used in a day, of local time. Beyond it only rules are judged that need no model."`

	Context Context `yaml:"context" json:"context" jsonschema:"The running summary of a session, for info rules with post."`
	Scribe  Scribe  `yaml:"scribe" json:"scribe" jsonschema:"Learning of draft rules from sessions and documents."`
}

// ToolArgs says which arguments of a tool hold what an action needs to know. Dots
// lead through objects: target.path.
type ToolArgs struct {
	Path    string `yaml:"path" json:"path" jsonschema:"Argument that holds the path, or a list of paths."`
	Content string `yaml:"content" json:"content" jsonschema:"Argument that holds the new text."`
	Old     string `yaml:"old" json:"old" jsonschema:"Argument that holds the text that is replaced."`
	Command string `yaml:"command" json:"command" jsonschema:"Argument that holds the command line."`
	Edits   string `yaml:"edits" json:"edits" jsonschema:"Argument that holds a list of edits, each an object with path, content and old."`
	To      string `yaml:"to" json:"to" jsonschema:"Argument that holds the new path of a file that is moved."`
	Dir     string `yaml:"dir" json:"dir" jsonschema:"Argument that holds the folder that a command runs in."`
}

// Judge says how answers of models are used.
type Judge struct {
	SecondOpinion string `yaml:"second_opinion" json:"second_opinion" enum:"off,block" jsonschema:"block: a second model confirms each block; if they disagree, the user is asked."`
	SecondBackend string `yaml:"second_backend" json:"second_backend" default:"(first of fallback)" jsonschema:"Backend of the second opinion."`
}

// Cache bounds the cache of judgements.
type Cache struct {
	Enabled bool `yaml:"enabled" json:"enabled" jsonschema:"Keep judgements of repeated actions."`
	MaxAgeH int  `yaml:"max_age_h" json:"max_age_h" min:"0" max:"876000" jsonschema:"Hours to keep a judgement."`
	MaxMB   int  `yaml:"max_mb" json:"max_mb" min:"1" max:"1048576" jsonschema:"Megabytes of the cache."`
}

// Breaker says when a failing backend is left alone.
type Breaker struct {
	Failures int `yaml:"failures" json:"failures" min:"1" max:"1000" jsonschema:"Failures in a row after which a backend is skipped."`
	PauseS   int `yaml:"pause_s" json:"pause_s" min:"1" max:"86400" jsonschema:"Seconds for which it is skipped."`
}

// Lock says how processes share one GPU.
type Lock struct {
	Scope               string  `yaml:"scope" json:"scope" enum:"session,machine" jsonschema:"Who shares the GPU lock: one session, or this machine."`
	SynthesizerTimeoutS float64 `yaml:"synthesizer_timeout_s" json:"synthesizer_timeout_s" min:"0" max:"3600" jsonschema:"Seconds that advice after a tool waits for it."`
}

// Price is what a model costs, per million tokens, in whatever money the
// budget is in.
type Price struct {
	Input  float64 `yaml:"input" json:"input" min:"0" max:"1000000" jsonschema:"Price of a million tokens of the prompt."`
	Output float64 `yaml:"output" json:"output" min:"0" max:"1000000" jsonschema:"Price of a million tokens of the answer."`
}

// Budget is what may be used in a day. 0 means no limit.
type Budget struct {
	PaidCallsPerDay int64 `yaml:"paid_calls_per_day" json:"paid_calls_per_day" min:"0" max:"1000000000" jsonschema:"Calls a day of judges that cost money; 0 means no limit."`

	TokensPerDay int64   `yaml:"tokens_per_day" json:"tokens_per_day" min:"0" max:"1000000000000" jsonschema:"Tokens a day; 0 means no limit."`
	MoneyPerDay  float64 `yaml:"money_per_day" json:"money_per_day" min:"0" max:"1000000000" jsonschema:"Money a day, by pricing; 0 means no limit."`
}

// Context configures the session context accumulator.
type Context struct {
	Enabled         bool    `yaml:"enabled" json:"enabled" jsonschema:"Keep a running summary of each session."`
	Backend         string  `yaml:"backend" json:"backend" default:"(backend)" jsonschema:"Backend that writes the summary."`
	Model           string  `yaml:"model" json:"model" default:"(model)" jsonschema:"Model that writes the summary, and advice after a tool."`
	MinEvents       int     `yaml:"min_events" json:"min_events" min:"1" max:"100000" jsonschema:"New events before the summary is written again."`
	LockTimeoutS    float64 `yaml:"lock_timeout_s" json:"lock_timeout_s" min:"0" max:"3600" jsonschema:"Seconds to wait for the GPU (Ollama only)."`
	SummaryMaxWords int     `yaml:"summary_max_words" json:"summary_max_words" min:"10" max:"100000" jsonschema:"Words of the summary."`
}

// Scribe configures the learning of rules.
type Scribe struct {
	Enabled               bool         `yaml:"enabled" json:"enabled" jsonschema:"Learn draft rules."`
	Backend               string       `yaml:"backend" json:"backend" default:"(backend)" jsonschema:"Backend of all steps."`
	Model                 string       `yaml:"model" json:"model" default:"(model)" jsonschema:"Model of all steps."`
	ExtractionModel       string       `yaml:"extraction_model" json:"extraction_model" default:"(scribe.model)" jsonschema:"Model that finds conventions."`
	SynthesisModel        string       `yaml:"synthesis_model" json:"synthesis_model" default:"(scribe.model)" jsonschema:"Model that writes drafts."`
	Guidance              string       `yaml:"guidance" json:"guidance" nullable:"true" jsonschema:"What to look for first."`
	Think                 bool         `yaml:"think" json:"think" jsonschema:"Let a thinking model think."`
	ExtractionTimeoutMS   int          `yaml:"extraction_timeout_ms" json:"extraction_timeout_ms" min:"1" max:"3600000" jsonschema:"Milliseconds for one extraction."`
	ExtractionNumPredict  int          `yaml:"extraction_num_predict" json:"extraction_num_predict" min:"1" max:"1000000" jsonschema:"Most tokens of an extraction."`
	SynthesisTimeoutMS    int          `yaml:"synthesis_timeout_ms" json:"synthesis_timeout_ms" min:"1" max:"3600000" jsonschema:"Milliseconds for one draft."`
	SynthesisNumPredict   int          `yaml:"synthesis_num_predict" json:"synthesis_num_predict" min:"1" max:"1000000" jsonschema:"Most tokens of a draft."`
	Temperature           float64      `yaml:"temperature" json:"temperature" min:"0" max:"2" jsonschema:"Temperature of all calls."`
	TranscriptBudgetChars int          `yaml:"transcript_budget_chars" json:"transcript_budget_chars" min:"100" max:"10000000" jsonschema:"Characters of a transcript that the model sees."`
	LockTimeoutS          float64      `yaml:"lock_timeout_s" json:"lock_timeout_s" min:"0" max:"3600" jsonschema:"Seconds to wait for the GPU (Ollama only)."`
	Thresholds            Thresholds   `yaml:"thresholds" json:"thresholds" jsonschema:"How sure the model must be."`
	Sources               Sources      `yaml:"sources" json:"sources" jsonschema:"What is learned from besides sessions."`
	DocGlobs              []string     `yaml:"doc_globs" json:"doc_globs" jsonschema:"Documents that learn reads."`
	Notification          Notification `yaml:"notification" json:"notification" jsonschema:"The notice that drafts wait for review."`
}

// Thresholds says how sure a model must be of a convention.
type Thresholds struct {
	ExtractionConfidence float64 `yaml:"extraction_confidence" json:"extraction_confidence" min:"0" max:"1" jsonschema:"Confidence from which a convention is kept."`
	DraftConfidence      float64 `yaml:"draft_confidence" json:"draft_confidence" min:"0" max:"1" jsonschema:"Confidence from which a document's convention becomes a draft."`
}

// Sources says what the Scribe learns from in addition to sessions.
type Sources struct {
	Documentation bool `yaml:"documentation" json:"documentation" jsonschema:"Let learn read documents."`
}

// Notification configures the notice of waiting drafts.
type Notification struct {
	MaxAgeDays int `yaml:"max_age_days" json:"max_age_days" min:"0" max:"36500" jsonschema:"Days for which a draft is announced."`
}

// Default returns the settings that hold where nothing is written. Models and
// the Ollama URL are empty in it: [Config.Model] and [Config.OllamaURL]
// return what applies.
func Default() Config {
	tools := Tools()
	return Config{
		Backend:             standard,
		Backends:            defaultBackends(),
		TimeoutMS:           5000,
		ConfidenceThreshold: 0.7,
		MaxParallel:         4,
		OllamaConcurrency:   1,
		FailOpen:            tools.FailOpen,
		ContentMaxChars:     8000,
		ContentWindows:      4,
		HookTimeoutS:        20,
		BriefWords:          120,
		LogMaxMB:            20,
		Pin:                 true,
		LogKeep:             5,
		RulesDir:            "rules",
		DefaultMode:         "enforce",
		MCPPrefix:           tools.MCPPrefix,
		MCPSeparator:        tools.MCPSeparator,
		Derive:              tools.Derive,
		Judge:               Judge{SecondOpinion: "off"},
		Cache:               Cache{Enabled: true, MaxAgeH: 168, MaxMB: 64},
		Breaker:             Breaker{Failures: 3, PauseS: 60},
		Budget:              Budget{PaidCallsPerDay: 100},
		Lock:                Lock{Scope: "session", SynthesizerTimeoutS: 5},
		Context:             Context{Enabled: true, MinEvents: 3, LockTimeoutS: 30, SummaryMaxWords: 150},
		Scribe: Scribe{
			Enabled:               true,
			ExtractionTimeoutMS:   15000,
			ExtractionNumPredict:  1000,
			SynthesisTimeoutMS:    15000,
			SynthesisNumPredict:   1000,
			Temperature:           0.1,
			TranscriptBudgetChars: 4000,
			LockTimeoutS:          10,
			Thresholds:            Thresholds{ExtractionConfidence: 0.7, DraftConfidence: 0.8},
			Sources:               Sources{Documentation: true},
			DocGlobs:              []string{"CLAUDE.md", "AGENTS.md", "README.md", "docs/**/*.md", "ADR*.md"},
			Notification:          Notification{MaxAgeDays: 7},
		},
	}
}

// Tools is the part of the default configuration that says how tool calls are
// understood, and that a judge that fails lets calls pass. It serves where nothing is
// judged: the rest costs more to make.
func Tools() Config {
	return Config{FailOpen: true, Pin: true, MCPPrefix: "mcp__", MCPSeparator: "__", Derive: true}
}

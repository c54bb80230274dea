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
	Backend         string   `yaml:"backend" json:"backend" jsonschema:"Who judges a rule that names no backend: {backends}, or the name of a backend that was added to the program."`
	GlobalModel     string   `yaml:"model" json:"model" default:"gemma3:4b" jsonschema:"Model of the backend named by backend. Without it each backend has a default of its own."`
	GlobalOllamaURL string   `yaml:"ollama_url" json:"ollama_url" default:"(backends.ollama.url)" jsonschema:"Older place of backends.ollama.url; that key wins where both are set."`
	Backends        Backends `yaml:"backends" json:"backends" jsonschema:"Settings of each backend."`
	Fallback        []string `yaml:"fallback" json:"fallback" jsonschema:"Backends that are asked in turn when a rule's own cannot judge. Falling back may cost money and send code away."`

	TimeoutMS           int     `yaml:"timeout_ms" json:"timeout_ms" min:"1" max:"3600000" jsonschema:"Milliseconds a model has to judge one rule, from the moment it is asked."`
	ConfidenceThreshold float64 `yaml:"confidence_threshold" json:"confidence_threshold" min:"0" max:"1" jsonschema:"Confidence from which an answer counts as a violation, from 0 to 1."`
	MaxParallel         int     `yaml:"max_parallel" json:"max_parallel" min:"1" max:"1024" jsonschema:"Rules that are judged at the same time."`
	OllamaConcurrency   int     `yaml:"ollama_concurrency" json:"ollama_concurrency" min:"1" max:"1024" jsonschema:"Requests that Ollama gets at the same time."`
	Think               bool    `yaml:"think" json:"think" jsonschema:"Let a thinking model think: slower and more exact."`
	FailOpen            bool    `yaml:"fail_open" json:"fail_open" jsonschema:"What becomes of an action when a rule cannot be judged: true lets it pass, false counts it as violated."`
	ContentMaxChars     int     `yaml:"content_max_chars" json:"content_max_chars" min:"1" max:"10000000" jsonschema:"Characters of a file's content, or of the arguments of an MCP tool, that one question to a judge shows."`
	ContentWindows      int     `yaml:"content_windows" json:"content_windows" min:"1" max:"64" jsonschema:"Questions about one action whose content is longer than that, each about another part. What they do not reach is not cleared: see fail_open."`
	CollectAll          bool    `yaml:"collect_all" json:"collect_all" jsonschema:"Finish judging all rules even when the action is certain to be blocked."`
	HookTimeoutS        int     `yaml:"hook_timeout_s" json:"hook_timeout_s" min:"2" max:"3600" jsonschema:"Seconds after which the agent gives a hook call up. Sentinel answers one second earlier; a hook without --deadline after 15 seconds at the latest."`

	BriefWords int  `yaml:"brief_words" json:"brief_words" min:"0" max:"5000" jsonschema:"Words in which an agent is told, when a session or a subagent begins, the rules that people wrote for this project. 0 tells none."`
	BriefLines bool `yaml:"brief_lines" json:"brief_lines" jsonschema:"Tell an agent as well, in at most 400 characters, which lines of the instruction files (CLAUDE.md and its like) are enforced by rules."`

	OfferUndo bool `yaml:"offer_undo" json:"offer_undo" jsonschema:"Where a rule with undo asks: put the command that loses nothing in the place of the call, so that your yes runs that. It takes an agent that can do so; others name the command."`

	LogFile  string `yaml:"log_file" json:"log_file" nullable:"true" jsonschema:"File that telemetry is appended to, as JSON lines, relative to the project's folder. null writes none."`
	LogMaxMB int    `yaml:"log_max_mb" json:"log_max_mb" min:"1" max:"1048576" jsonschema:"Megabytes at which the log is rotated."`
	LogKeep  int    `yaml:"log_keep" json:"log_keep" min:"0" max:"10000" jsonschema:"Rotated logs that are kept."`

	LogPrompts bool `yaml:"log_prompts" json:"log_prompts" jsonschema:"Keep each prompt as it was sent and each answer as it was received, for stats --explain: in a file of mode 0600 in the user's state folder, with secrets masked."`

	Pin bool `yaml:"pin" json:"pin" jsonschema:"Keep the rules of projects in force as they were last known to a person, until sentinel accept takes a weaker state over. It counts in the user's own configuration alone."`

	RulesDir    string `yaml:"rules_dir" json:"rules_dir" jsonschema:"Folder of the rule files, relative to the folder of this file."`
	DefaultMode string `yaml:"default_mode" json:"default_mode" enum:"enforce,shadow" jsonschema:"Mode of a rule that sets none: enforce, or shadow, which judges and records and has no part in the decision."`

	ToolMap      map[string]string   `yaml:"tool_map" json:"tool_map" enum:"file_write,bash,mcp,file_read" default:"(built in)" jsonschema:"What each tool does: file_write, bash, mcp or file_read. It replaces the built-in names entirely."`
	ToolMapExtra map[string]string   `yaml:"tool_map_extra" json:"tool_map_extra" enum:"file_write,bash,mcp,file_read" default:"{}" jsonschema:"As tool_map, added to the names that are known already."`
	ToolArgs     map[string]ToolArgs `yaml:"tool_args" json:"tool_args" jsonschema:"For a tool that is not known: which of its arguments hold the path, the content and the command."`
	MCPPrefix    string              `yaml:"mcp_prefix" json:"mcp_prefix" jsonschema:"How the name of an MCP tool begins."`
	MCPSeparator string              `yaml:"mcp_separator" json:"mcp_separator" jsonschema:"Text between server and tool in the name of an MCP tool."`
	Derive       bool                `yaml:"derive" json:"derive" jsonschema:"Judge what a command or an MCP tool does to files as file actions too."`

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
	SecondOpinion string `yaml:"second_opinion" json:"second_opinion" enum:"off,block" jsonschema:"block has a second model confirm each violation that would block; where they disagree a person is asked."`
	SecondBackend string `yaml:"second_backend" json:"second_backend" default:"(first of fallback)" jsonschema:"Backend that gives the second opinion."`
}

// Cache bounds the cache of judgements.
type Cache struct {
	Enabled bool `yaml:"enabled" json:"enabled" jsonschema:"Keep judgements, so that a repeated action costs nothing."`
	MaxAgeH int  `yaml:"max_age_h" json:"max_age_h" min:"0" max:"876000" jsonschema:"Hours a judgement is kept."`
	MaxMB   int  `yaml:"max_mb" json:"max_mb" min:"1" max:"1048576" jsonschema:"Megabytes the cache may take."`
}

// Breaker says when a failing backend is left alone.
type Breaker struct {
	Failures int `yaml:"failures" json:"failures" min:"1" max:"1000" jsonschema:"Failures in a row after which the backend is left alone."`
	PauseS   int `yaml:"pause_s" json:"pause_s" min:"1" max:"86400" jsonschema:"Seconds it is left alone."`
}

// Lock says how processes share one GPU.
type Lock struct {
	Scope               string  `yaml:"scope" json:"scope" enum:"session,machine" jsonschema:"Who shares the lock: the processes of one session, or all of this machine."`
	SynthesizerTimeoutS float64 `yaml:"synthesizer_timeout_s" json:"synthesizer_timeout_s" min:"0" max:"3600" jsonschema:"Seconds that advice after a tool waits for the lock."`
}

// Price is what a model costs, per million tokens, in whatever money the
// budget is in.
type Price struct {
	Input  float64 `yaml:"input" json:"input" min:"0" max:"1000000" jsonschema:"Price of a million tokens of the prompt."`
	Output float64 `yaml:"output" json:"output" min:"0" max:"1000000" jsonschema:"Price of a million tokens of the answer."`
}

// Budget is what may be used in a day. 0 means no limit.
type Budget struct {
	PaidCallsPerDay int64 `yaml:"paid_calls_per_day" json:"paid_calls_per_day" min:"0" max:"1000000000" jsonschema:"Calls a day of judges that cost money or a part of a plan. Beyond it they are not asked, and what only they can judge counts as not judged; 0 is no limit."`

	TokensPerDay int64   `yaml:"tokens_per_day" json:"tokens_per_day" min:"0" max:"1000000000000" jsonschema:"Tokens a day, of prompts and answers together; 0 is no limit."`
	MoneyPerDay  float64 `yaml:"money_per_day" json:"money_per_day" min:"0" max:"1000000000" jsonschema:"Money a day, by pricing; 0 is no limit."`
}

// Context configures the session context accumulator.
type Context struct {
	Enabled         bool    `yaml:"enabled" json:"enabled" jsonschema:"Keep a running summary of each session."`
	Backend         string  `yaml:"backend" json:"backend" default:"(backend)" jsonschema:"Backend that writes the summary."`
	Model           string  `yaml:"model" json:"model" default:"(model)" jsonschema:"Model that writes the summary, and advice after a tool."`
	MinEvents       int     `yaml:"min_events" json:"min_events" min:"1" max:"100000" jsonschema:"New events before the summary is written again."`
	LockTimeoutS    float64 `yaml:"lock_timeout_s" json:"lock_timeout_s" min:"0" max:"3600" jsonschema:"Seconds the accumulator waits for the GPU (Ollama only)."`
	SummaryMaxWords int     `yaml:"summary_max_words" json:"summary_max_words" min:"10" max:"100000" jsonschema:"Words the summary may have."`
}

// Scribe configures the learning of rules.
type Scribe struct {
	Enabled               bool         `yaml:"enabled" json:"enabled" jsonschema:"Learn draft rules, at the end of a session and by sentinel learn."`
	Backend               string       `yaml:"backend" json:"backend" default:"(backend)" jsonschema:"Backend of all steps."`
	Model                 string       `yaml:"model" json:"model" default:"(model)" jsonschema:"Model of all steps."`
	ExtractionModel       string       `yaml:"extraction_model" json:"extraction_model" default:"(scribe.model)" jsonschema:"Model that finds conventions in sessions and documents."`
	SynthesisModel        string       `yaml:"synthesis_model" json:"synthesis_model" default:"(scribe.model)" jsonschema:"Model that compares them with the rules and writes drafts."`
	Guidance              string       `yaml:"guidance" json:"guidance" nullable:"true" jsonschema:"What to look for first, such as: focus on security."`
	Think                 bool         `yaml:"think" json:"think" jsonschema:"Let a thinking model think when it writes drafts."`
	ExtractionTimeoutMS   int          `yaml:"extraction_timeout_ms" json:"extraction_timeout_ms" min:"1" max:"3600000" jsonschema:"Milliseconds for one extraction."`
	ExtractionNumPredict  int          `yaml:"extraction_num_predict" json:"extraction_num_predict" min:"1" max:"1000000" jsonschema:"Most tokens an extraction may answer."`
	SynthesisTimeoutMS    int          `yaml:"synthesis_timeout_ms" json:"synthesis_timeout_ms" min:"1" max:"3600000" jsonschema:"Milliseconds for one comparison and draft."`
	SynthesisNumPredict   int          `yaml:"synthesis_num_predict" json:"synthesis_num_predict" min:"1" max:"1000000" jsonschema:"Most tokens a comparison and draft may answer."`
	Temperature           float64      `yaml:"temperature" json:"temperature" min:"0" max:"2" jsonschema:"Temperature of all calls of the Scribe."`
	TranscriptBudgetChars int          `yaml:"transcript_budget_chars" json:"transcript_budget_chars" min:"100" max:"10000000" jsonschema:"Characters of a compacted transcript that are shown to the model."`
	LockTimeoutS          float64      `yaml:"lock_timeout_s" json:"lock_timeout_s" min:"0" max:"3600" jsonschema:"Seconds the Scribe waits for the GPU (Ollama only)."`
	Thresholds            Thresholds   `yaml:"thresholds" json:"thresholds" jsonschema:"How sure the model must be."`
	Sources               Sources      `yaml:"sources" json:"sources" jsonschema:"What is learned from, beside sessions."`
	DocGlobs              []string     `yaml:"doc_globs" json:"doc_globs" jsonschema:"Documents that learn reads."`
	Notification          Notification `yaml:"notification" json:"notification" jsonschema:"The notice that drafts wait for review."`
}

// Thresholds says how sure a model must be of a convention.
type Thresholds struct {
	ExtractionConfidence float64 `yaml:"extraction_confidence" json:"extraction_confidence" min:"0" max:"1" jsonschema:"Confidence from which a convention is kept as an observation."`
	DraftConfidence      float64 `yaml:"draft_confidence" json:"draft_confidence" min:"0" max:"1" jsonschema:"Confidence from which learning from documents writes a draft."`
}

// Sources says what the Scribe learns from in addition to sessions.
type Sources struct {
	Documentation bool `yaml:"documentation" json:"documentation" jsonschema:"Let learn read documents."`
}

// Notification configures the notice of waiting drafts.
type Notification struct {
	MaxAgeDays int `yaml:"max_age_days" json:"max_age_days" min:"0" max:"36500" jsonschema:"Days after which a draft is no longer announced."`
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

package config

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
	"github.com/agentsentinel/sentinel/rule"
)

// Parse reads the text of a configuration file, YAML or JSON. file is used in
// messages only. Every key that can be read counts; any other keeps its default and is
// reported, in the order of the text. An empty file is the default. others are the names of
// backends that the program adds to Sentinel's own.
//
// In a text that is not YAML as a whole, the keys that are YAML by themselves count. An
// unknown key, as of a newer version, is a warning. In a file with any fault `fail_open:
// false` counts wherever it is written, because a typing error must not turn a strict
// configuration into one that lets everything pass.
func Parse(file string, data []byte, others ...string) (Config, []rule.Problem) {
	c := Default()
	doc := strictyaml.Decode(file, data, &c, strictyaml.Tolerant)
	doubtful := doc.Doubtful()
	ch := checker{doc, &c, others}
	ch.texts()
	ch.forms()
	ch.names()
	ch.needs()
	ch.doubts()
	problems := strictyaml.ProblemsAs[rule.Problem](doc)
	faulty := slices.ContainsFunc(problems, func(p rule.Problem) bool { return !p.Warning })
	if (doubtful || faulty) && saysStrict(string(data)) {
		c.FailOpen = false
	}
	if len(c.Backends.Other) == 0 { // made for settings that turned out to be none
		c.Backends.Other = nil
	}
	return c, problems
}

// A checker looks at what the types of the keys cannot say.
type checker struct {
	doc    *strictyaml.Document
	c      *Config
	others []string // backends that the program adds to Sentinel's own
}

// forms are the checks of texts by the tag form. Each says what is wrong with a value,
// "" for nothing; def is the key's default.
var forms = map[string]func(value, def string) string{
	"url": func(value, _ string) string { return urlFault(value) },
	"variable": func(value, def string) string {
		if isVariable(value) {
			return ""
		}
		// The value may be the key itself: it is not repeated.
		return "must be the name of an environment variable: write `api_key_env: " + def + "`, never the key"
	},
	"keep_alive": func(value, _ string) string {
		if isKeepAlive(value) {
			return ""
		}
		return "must be a time: write `10m`, `1h`, 0 to unload at once or -1 to keep the model"
	},
}

// forms checks the texts of backends that have a form.
func (ch checker) forms() {
	ch.form("url", &ch.c.GlobalOllamaURL, "", "ollama_url")
	def := defaultBackends()
	defaults := maps.Collect(def.rows())
	for name, s := range ch.c.Backends.rows() {
		have, def := reflect.ValueOf(s).Elem(), reflect.ValueOf(defaults[name]).Elem()
		for i := range have.NumField() {
			tag := have.Type().Field(i).Tag
			if form := tag.Get("form"); form != "" {
				key, _, _ := strings.Cut(tag.Get("yaml"), ",")
				ch.form(form, have.Field(i).Addr().Interface().(*string), def.Field(i).String(), "backends", name, key)
			}
		}
	}
}

// form gives a key of another form than it has to have its default.
func (ch checker) form(form string, value *string, def string, path ...string) {
	if *value == def {
		return
	}
	if fault := forms[form](*value, def); fault != "" {
		ch.doc.At(path...).Errorf(0, "`%s` %s", strings.Join(path, "."), fault)
		*value = def
	}
}

// urlFault says what is wrong with the address of a server; "" if nothing is.
func urlFault(s string) string {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "is empty: write an address such as `http://localhost:11434`, or take the key out"
	case err == nil && u.User != nil:
		return "holds a user or password: keep those out of the file"
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		if !strings.Contains(s, "://") && !strings.ContainsAny(s, " @") {
			return fmt.Sprintf("must begin with http:// or https://: write `http://%s`", strings.TrimLeft(s, "/"))
		}
		return "must be an address such as `http://localhost:11434`"
	case u.Hostname() == "":
		return "names no host: write an address such as `http://localhost:11434`"
	case u.RawQuery != "" || u.Fragment != "":
		return "must end with the path: take `?` or `#` and what follows out"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "has a port that does not exist: ports are 1 to 65535"
		}
	}
	return ""
}

// texts looks at the keys whose text has a form.
func (ch checker) texts() {
	c, def := ch.c, Default()
	for _, t := range []struct {
		path       []string
		value      *string
		def, write string
	}{
		{[]string{"backend"}, &c.Backend, def.Backend, "`backend: ollama`"},
		{[]string{"mcp_separator"}, &c.MCPSeparator, def.MCPSeparator, "`mcp_separator: __`"},
		{[]string{"rules_dir"}, &c.RulesDir, def.RulesDir, "`rules_dir: rules`"},
	} {
		if strings.TrimSpace(*t.value) == "" {
			ch.doc.At(t.path...).Errorf(0, "`%s` is empty: write %s, or take the key out", t.path[0], t.write)
			*t.value = t.def
		}
	}
	for name := range c.ToolArgs {
		if at := ch.doc.At("tool_args", name); c.ToolArgs[name] == (ToolArgs{}) && !at.Faulty() {
			at.Errorf(0, "`tool_args.%s` says nothing: write which argument holds the path, the content or the command, as `{path: file_path, content: text}`", name)
		}
	}
}

// isKeepAlive reports whether Ollama takes s: a duration, or seconds.
func isKeepAlive(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	_, err := strconv.Atoi(s)
	return err == nil
}

func isVariable(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return len(s) <= 64
}

// names warns of backends that the program does not have: another one may.
func (ch checker) names() {
	own := ownNames()
	for _, name := range slices.Sorted(maps.Keys(ch.c.Backends.Other)) {
		at := ch.doc.At("backends", name)
		if !slices.Contains(ch.others, name) {
			near := nearest.Word(name, slices.Concat(own, ch.others))
			at.Warnf(0, "%s", unknownBackend("backends."+name, near, own))
		}
		if raw := ch.c.Backends.Other[name]; len(raw) == 0 || raw[0] != '{' && string(raw) != "null" {
			at.Errorf(0, "`backends.%s` must be a mapping of keys: write `%s: {model: …}`", name, name)
			delete(ch.c.Backends.Other, name)
		}
	}
	known := append(ch.c.BackendNames(), ch.others...)
	for _, u := range ch.c.used() {
		if !slices.Contains(known, u.name) {
			ch.doc.At(u.path...).Warnf(0, "%s", unknownBackend(u.name, nearest.Word(u.name, known), own))
		}
	}
}

// unknownBackend says that Sentinel does not have a backend itself.
func unknownBackend(name, near string, own []string) string {
	message := fmt.Sprintf("unknown backend `%s`; it", name)
	if near != "" {
		message = fmt.Sprintf("unknown backend `%s`; did you mean `%s`? It", name, near)
	}
	return message + " counts only in a program that brings it along; Sentinel's own are " + strings.Join(own, ", ")
}

// needs looks for settings that a backend in use cannot do without.
func (ch checker) needs() {
	c := ch.c
	checked := map[string]bool{}
	for _, u := range c.used() {
		if checked[u.name] {
			continue
		}
		checked[u.name] = true
		about := c.About(u.name)
		if about.Lacks != "" {
			ch.doc.At(u.path...).Errorf(0, "the %s backend %s", u.name, about.Lacks)
		}
		if about.NeedsModel && c.Model(u.name) == "" {
			ch.doc.At(u.path...).Errorf(0, "the %s backend has no model: write `backends: {%s: {model: NAME}}`", u.name, u.name)
		}
	}
	if c.Judge.SecondOpinion == "block" && c.SecondBackend() == "" {
		ch.doc.At("judge", "second_opinion").Errorf(0, "nobody gives the second opinion: write `judge: {second_opinion: block, second_backend: NAME}`")
	}
}

// A use is a place in the file that names a backend.
type use struct {
	name string
	path []string
}

// used lists where the file itself names backends.
func (c *Config) used() []use {
	uses := []use{{c.Backend, []string{"backend"}}}
	if c.Context.Backend != "" {
		uses = append(uses, use{c.Context.Backend, []string{"context", "backend"}})
	}
	if c.Scribe.Backend != "" {
		uses = append(uses, use{c.Scribe.Backend, []string{"scribe", "backend"}})
	}
	if c.Judge.SecondBackend != "" {
		uses = append(uses, use{c.Judge.SecondBackend, []string{"judge", "second_backend"}})
	}
	for i, name := range c.Fallback {
		uses = append(uses, use{name, []string{"fallback", strconv.Itoa(i)}})
	}
	return uses
}

// doubts warns of settings that do not do what they seem to.
func (ch checker) doubts() {
	c := ch.c
	for _, m := range []struct {
		path           []string
		model, backend string
	}{
		{[]string{"model"}, c.GlobalModel, c.Backend},
		{[]string{"context", "model"}, c.Context.Model, c.ContextBackend()},
		{[]string{"scribe", "model"}, c.Scribe.Model, c.ScribeBackend()},
		{[]string{"scribe", "extraction_model"}, c.Scribe.ExtractionModel, c.ScribeBackend()},
		{[]string{"scribe", "synthesis_model"}, c.Scribe.SynthesisModel, c.ScribeBackend()},
	} {
		if c.foreign(m.model, m.backend) {
			ch.doc.At(m.path...).Warnf(0, "`%s: %s` is a model of %s; the %s backend is asked for its own", strings.Join(m.path, "."), m.model, standard, m.backend)
		}
	}
	if c.TimeoutMS >= 1000*(c.HookTimeoutS-1) {
		ch.doc.At("timeout_ms").Warnf(0, "`timeout_ms: %d` is longer than a hook call may take: `hook_timeout_s` is %d", c.TimeoutMS, c.HookTimeoutS)
	}
	if server, key := c.Backends.standardServer(); c.GlobalOllamaURL != "" && *server != "" {
		ch.doc.At("ollama_url").Warnf(0, "`ollama_url` counts for nothing beside `%s`: take it out", key)
	}
}

// saysStrict reports whether a text, YAML or not and of any encoding, has
// `fail_open: false` in it outside a comment.
func saysStrict(text string) bool {
	text = strings.NewReplacer("\x00", "", "\xff", "", "\xfe", "", "\ufeff", "").Replace(text)
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for rest, ok := line, true; ok; {
			var before string
			before, rest, ok = strings.Cut(rest, "fail_open")
			if ok && (before == "" || strings.ContainsAny(before[len(before)-1:], " \t\"'{,")) && assignsFalse(rest) {
				return true
			}
		}
	}
	return false
}

// assignsFalse reports whether s begins with a colon and a word for false.
func assignsFalse(s string) bool {
	s = strings.TrimLeft(s, "\"' \t")
	s, ok := strings.CutPrefix(s, ":")
	if !ok {
		return false
	}
	s = strings.ToLower(strings.TrimLeft(s, "\"' \t"))
	for _, word := range []string{"false", "no", "off"} {
		if rest, ok := strings.CutPrefix(s, word); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n\"',}")) {
			return true
		}
	}
	return false
}

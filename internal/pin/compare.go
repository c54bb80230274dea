package pin

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/rule"
)

// A Change says what has become of a setting, a rule, or a whole guard. A rule
// that cannot be proved to stop as much as before counts as weaker.
type Change int

const (
	Same     Change = iota // it stops the same
	Stronger               // it stops the same, and may stop more
	Changed                // it is not known whether it stops less
	Weaker                 // it may stop less
)

// weakens reports whether the pinned state has to stay in force.
func (c Change) weakens() bool { return c >= Changed }

// ruleKeys say, of each key of a rule, what a new value is compared with the old one.
var ruleKeys = []struct {
	key     string
	compare func(was, is *rule.Definition) Change
}{
	{"id", func(was, is *rule.Definition) Change { return unequal(was.ID, is.ID) }},
	{"trigger", func(was, is *rule.Definition) Change { return unequal(was.Trigger, is.Trigger) }},
	{"severity", func(was, is *rule.Definition) Change { return ordered(severity(was), severity(is)) }},
	{"phase", func(was, is *rule.Definition) Change { return unequal(was.Phase == "stop", is.Phase == "stop") }},
	{"post", func(was, is *rule.Definition) Change { return unequal(was.Post, is.Post) }},
	{"scope", func(was, is *rule.Definition) Change { return targets(was.Scope, is.Scope) }},
	{"exclude", func(was, is *rule.Definition) Change { return exempt(was.Exclude, is.Exclude) }},
	{"backend", func(was, is *rule.Definition) Change { return unequal(was.Backend, is.Backend) }},
	{"model", func(was, is *rule.Definition) Change { return unequal(was.Model, is.Model) }},
	{"fallback", func(was, is *rule.Definition) Change { return unequal(was.Fallback, is.Fallback) }},
	{"verdict", func(was, is *rule.Definition) Change { return ordered(verdicts[was.Verdict], verdicts[is.Verdict]) }},
	{"doubtful", func(was, is *rule.Definition) Change { return doubts(was.Doubtful, is.Doubtful) }},
	{"when", func(was, is *rule.Definition) Change { return unequal(was.When, is.When) }},
	{"prompt", func(was, is *rule.Definition) Change { return unequal(was.Prompt, is.Prompt) }},
	{"message", same}, // what the agent reads when it is stopped
	{"intent", func(was, is *rule.Definition) Change { return falseIsStronger(was.Intent, is.Intent) }},
	{"undo", same}, // as well
	{"requires", func(was, is *rule.Definition) Change { return unequal(was.Requires, is.Requires) }},
	{"also", func(was, is *rule.Definition) Change { return unequal(was.Also, is.Also) }},
	{"before_first", func(was, is *rule.Definition) Change { return unequal(was.BeforeFirst, is.BeforeFirst) }},
	{"once", func(was, is *rule.Definition) Change { return falseIsStronger(was.Once, is.Once) }},
	{"source", same},
	{"quote", same},
	{"mode", func(was, is *rule.Definition) Change { return ordered(modes[was.Mode], modes[is.Mode]) }},
	{"tests", same},
	{"_draft", same},
}

// modes are in the order of their strength.
var modes = map[string]int{"shadow": 0, "": 1, "enforce": 1}

// verdicts are in the order of their strength: a model may say that an exact rule's
// `when` finds no violation, once it is asked.
var verdicts = map[string]int{"": 0, "judge": 0, "exact": 1}

// doubts compares expressions about when a model is asked in place of `when`.
func doubts(was, is string) Change {
	switch {
	case was == is:
		return Same
	case is == "":
		return Stronger
	case was == "":
		return Weaker
	}
	return Changed
}

func same(_, _ *rule.Definition) Change { return Same }

// unequal is Changed for two values that differ.
func unequal(was, is any) Change {
	if reflect.DeepEqual(was, is) {
		return Same
	}
	return Changed
}

// ordered compares two values; the greater one is the stronger.
func ordered[T int | float64](was, is T) Change {
	switch {
	case is > was:
		return Stronger
	case is < was:
		return Weaker
	}
	return Same
}

// severity is in the order of strength. One that is not known is the strongest.
func severity(d *rule.Definition) int {
	s, err := rule.ParseSeverity(d.Severity)
	if err != nil {
		return int(sentinel.SeverityBlock)
	}
	return int(s)
}

// targets compares scopes; an empty one is about every target.
func targets(was, is []string) Change {
	switch {
	case len(is) == 0 && len(was) == 0:
		return Same
	case len(is) == 0:
		return Stronger
	case len(was) == 0 || !contains(is, was):
		return Weaker
	case !contains(was, is):
		return Stronger
	}
	return Same
}

// exempt compares exclusions.
func exempt(was, is []string) Change {
	switch {
	case !contains(was, is):
		return Weaker
	case !contains(is, was):
		return Stronger
	}
	return Same
}

// contains reports whether all of some are among all. Patterns cannot negate one
// another, so that their order means nothing.
func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// definitions compares two rules, and says in words what differs in strength.
func definitions(was, is *rule.Definition) (worst Change, what []string) {
	for _, k := range ruleKeys {
		c := k.compare(was, is)
		worst = worse(worst, c)
		if c != Same {
			what = append(what, words(k.key, shown(field(was, k.key)), shown(field(is, k.key))))
		}
	}
	return worst, what
}

// worse is the change that counts of two.
func worse(a, b Change) Change { return max(a, b) }

// field is the value of a key.
func field(d *rule.Definition, key string) any {
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == key {
			return v.Field(i).Interface()
		}
	}
	return nil
}

// maxShown bounds a value in a sentence, in characters.
const maxShown = 60

// words say what has become of a key.
func words(key, was, is string) string {
	if len(was)+len(is) > 2*maxShown || strings.ContainsAny(was+is, "\n") {
		return key + " is another one"
	}
	return fmt.Sprintf("%s: %s is now %s", key, was, is)
}

// shown is a value in a sentence.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		if v == "" {
			return "(none)"
		}
		return v
	case []string:
		if len(v) == 0 {
			return "(none)"
		}
		return strings.Join(v, " ")
	}
	return fmt.Sprint(v)
}

// configKeys say of keys of the configuration how they are compared. Of all other keys
// any difference is Changed.
var configKeys = []struct {
	key     string
	compare func(was, is any) Change
}{
	{"fail_open", falseIsStronger},
	{"derive", trueIsStronger},
	{"cache.enabled", falseIsStronger},
	{"default_mode", func(was, is any) Change { return ordered(modes[was.(string)], modes[is.(string)]) }},
	{"confidence_threshold", func(was, is any) Change { return ordered(-was.(float64), -is.(float64)) }},
	{"log_file", func(was, is any) Change {
		if is == "" && was != "" {
			return Weaker // what was judged would not be recorded
		}
		return Same
	}},

	// The following fields do not change what is stopped.
	{"collect_all", indifferent}, {"log_max_mb", indifferent}, {"log_keep", indifferent}, {"log_prompts", indifferent},
	{"brief_words", indifferent}, {"brief_lines", indifferent}, // what an agent is told
	{"pin", indifferent}, // without effect in a project
}

// indifferentGroups are keys with others below them that have no part in what is
// stopped.
var indifferentGroups = []string{"context.", "scribe."}

// namesMore compares what tools are said to do. To name one more that was unknown has its
// calls judged; to say another thing of one that is known may stop less.
func namesMore(before, after map[string]string, known func(tool string) bool) Change {
	if maps.Equal(before, after) {
		return Same
	}
	for name, does := range before {
		if after[name] != does {
			return Changed
		}
	}
	for name := range after {
		if before[name] == "" && known(name) {
			return Changed
		}
	}
	return Stronger
}

func indifferent(_, _ any) Change { return Same }

func falseIsStronger(was, is any) Change { return trueIsStronger(is, was) }

func trueIsStronger(was, is any) Change {
	one := map[bool]int{true: 1}
	return ordered(one[was.(bool)], one[is.(bool)])
}

// Config compares two configurations and says in words what differs in strength. known
// reports whether an agent is known to have a tool of a name.
func Config(was, is *config.Config, known func(tool string) bool) (worst Change, what []string) {
	for _, k := range config.Keys() {
		a, _ := was.Get(k.Name)
		b, _ := is.Get(k.Name)
		c := setting(k.Name, a, b)
		if k.Name == "tool_map_extra" {
			c = namesMore(was.ToolMapExtra, is.ToolMapExtra, known)
		}
		if c != Same {
			worst = worse(worst, c)
			what = append(what, words(k.Name, shown(a), shown(b)))
		}
	}
	if c := unequal(was.Backends.Other, is.Backends.Other); c != Same && len(was.Backends.Other)+len(is.Backends.Other) > 0 {
		worst, what = worse(worst, c), append(what, "backends: those of other programs are different")
	}
	return worst, what
}

func setting(name string, was, is any) Change {
	for _, group := range indifferentGroups {
		if strings.HasPrefix(name, group) {
			return Same
		}
	}
	if reflect.DeepEqual(was, is) || empty(was) && empty(is) {
		return Same
	}
	for i := range configKeys {
		if configKeys[i].key == name {
			return configKeys[i].compare(was, is)
		}
	}
	return Changed
}

// empty reports whether v is a list or a mapping without anything in it.
func empty(v any) bool {
	r := reflect.ValueOf(v)
	return (r.Kind() == reflect.Slice || r.Kind() == reflect.Map) && r.Len() == 0
}

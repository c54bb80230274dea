package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/gitconfig"
)

// Names under which an environment has the aliases that a line defines, and the files that it has
// git include.
const (
	aliasDefined = "git alias "
	filesDefined = "git include"
	pushDefined  = "git push"
)

// maxGiven bounds the settings of a command that its environment has.
const maxGiven = 64

// gitGiven are the settings that a line gives a command, as key=value: by options and by its
// environment.
func (w walker) gitGiven(c *recorded) (all []string) {
	value := func(name string) (text string, ok bool) {
		v, ok := w.get(name)
		return strings.Join(v.values[:min(1, len(v.values))], ""), ok
	}
	for _, a := range c.Assigns { // those of env, too
		if name, key, _ := strings.Cut(a, "="); strings.HasPrefix(name, "GIT_CONFIG_KEY_") {
			at := "GIT_CONFIG_VALUE_" + strings.TrimPrefix(name, "GIT_CONFIG_KEY_") + "="
			for _, b := range c.Assigns {
				if v, ok := strings.CutPrefix(b, at); ok {
					all = append(all, key+"="+v)
				}
			}
		}
	}
	if _, ok := value("GIT_CONFIG_COUNT"); ok {
		for i := range maxGiven {
			if key, ok := value("GIT_CONFIG_KEY_" + strconv.Itoa(i)); ok {
				v, _ := value("GIT_CONFIG_VALUE_" + strconv.Itoa(i))
				if setting := key + "=" + v; !slices.Contains(all, setting) {
					all = append(all, setting)
				}
			}
		}
	}
	if v, ok := value("GIT_CONFIG_PARAMETERS"); ok {
		if isOpen(v) {
			w.unsure()
		}
		words, _ := gitconfig.Words(v) // 'key'='value' or 'key=value'
		all = append(all, words[:min(maxGiven, len(words))]...)
	}
	for _, pair := range contextValues(c.Context, []string{"--config-env"}) {
		key, name, _ := strings.Cut(pair, "=")
		if v, ok := value(name); ok {
			all = append(all, key+"="+v)
		}
	}
	return append(all, contextValues(c.Context, []string{"-c"})...)
}

// given returns a walker of a command with settings, which the commands have that it runs.
func (w walker) given(settings []string) walker {
	if len(settings) == 0 {
		return w
	}
	w = w.subshell()
	for _, setting := range settings {
		key, value, _ := strings.Cut(setting, "=")
		w.defines(key, value, false)
	}
	return w
}

// defines adds an alias, or a file of settings, that a setting of the line defines for the commands
// of an environment.
func (w walker) defines(key, value string, guess bool) {
	if name, value, ok := w.defined(key, value, guess); ok {
		v, _ := w.get(name)
		w.env.set(name, v.with(value, guess))
	}
}

// keeps is defines for a setting that is kept in a file: it holds for all that the line runs later.
func (w walker) keeps(key, value string, guess bool) {
	if name, value, ok := w.defined(key, value, guess); ok {
		if w.gitKept == nil {
			w.analyzer.gitKept = map[string]variable{}
		}
		w.gitKept[name] = w.gitKept[name].with(value, guess)
	}
}

// with is a variable with one more value.
func (v variable) with(value string, guess bool) variable {
	if v.guess = v.guess || guess; len(v.values) < maxGiven {
		v.values = append(v.values[:len(v.values):len(v.values)], value)
	}
	return v
}

// defined is the name under which an alias or a file of settings is kept, and its value; ok is false
// for any other setting.
func (w walker) defined(key, value string, guess bool) (name, kept string, ok bool) {
	key = strings.ToLower(key)
	alias, is := strings.CutPrefix(key, "alias.")
	switch {
	case is:
		name = aliasDefined + strings.TrimSuffix(alias, ".command")
		if text, isShell := strings.CutPrefix(value, "!"); guess || isOpen(value) && (!isShell || strings.HasPrefix(text, "$")) {
			w.unsure()
		}
	case key == "include.path" || strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path"):
		name = filesDefined
		if value = cleanPath(value); guess || isOpen(value) {
			w.unsure()
		}
		if !isFixed(value) && !strings.HasPrefix(value, "$") { // from the file that includes it
			value = ".git/" + value
		}
	case strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".push"):
		name = pushDefined
	case strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".mirror") && value != "false":
		name, value = pushDefined, "+HEAD"
	case isOpen(key):
		w.unsure()
		return "", "", false
	case key == "help.autocorrect":
		w.corrects(value)
		return "", "", false
	default:
		return "", "", false
	}
	return name, value, true
}

// gitDefined are the values of a name that the line has defined, for the environment of a command
// and in files.
func (w walker) gitDefined(name string) (values []string, guess bool) {
	v, _ := w.get(name)
	kept := w.gitKept[name]
	return append(eachOf(v), eachOf(kept)...), v.guess || kept.guess
}

// eachOf are the values that a variable may have.
func eachOf(v variable) []string {
	all := v.values[:len(v.values):len(v.values)]
	for _, other := range v.other {
		all = append(all, other...)
	}
	return all
}

package recipe

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// scripts are commands by name, of a file in JSON.
type scripts map[string]json.RawMessage

// under reads the scripts below a key of a JSON object.
func under(text, key string) (scripts, error) {
	var doc map[string]json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &doc) != nil {
		return nil, ErrNotRead
	}
	var s scripts
	if raw, ok := doc[key]; ok && json.Unmarshal(raw, &s) != nil {
		return nil, ErrNotRead
	}
	return s, nil
}

// lines are the commands of a script: a text or a list of texts. Others are passed over.
func (s scripts) lines(name string) []string {
	var one string
	if json.Unmarshal(s[name], &one) == nil {
		return []string{one}
	}
	var list []string
	_ = json.Unmarshal(s[name], &list) // a list of something else has no commands
	return list
}

// matching are the names of scripts that a name with * means, sorted.
func (s scripts) matching(name string) []string {
	if _, ok := s[name]; ok || !strings.Contains(name, "*") {
		return []string{name}
	}
	var names []string
	pattern := strings.ReplaceAll(strings.ReplaceAll(name, "/", "\x01"), ":", "/") // * ends at a colon
	for known := range s {
		if ok, err := path.Match(pattern, strings.ReplaceAll(strings.ReplaceAll(known, "/", "\x01"), ":", "/")); ok && err == nil {
			names = append(names, known)
		}
	}
	slices.Sort(names)
	return names
}

// npmScripts are those of a package.json, with what runs before and after each.
func npmScripts(text string, c *Call) (Work, error) {
	s, err := under(text, "scripts")
	if err != nil {
		return Work{}, err
	}
	var texts []string
	for _, name := range c.Names {
		for _, name := range s.matching(name) {
			texts = append(texts, s.lines("pre"+name)...)
			for _, line := range s.lines(name) {
				texts = append(texts, line+quote(c.Args))
			}
			texts = append(texts, s.lines("post"+name)...)
		}
	}
	texts, err = bounded(texts, c.Budget)
	return Work{Texts: texts}, err
}

// composerScripts are those of a composer.json. @name is another one of them.
func composerScripts(text string, c *Call) (Work, error) {
	s, err := under(text, "scripts")
	if err != nil {
		return Work{}, err
	}
	var work Work
	b := c.Budget
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		for _, line := range s.lines(name) {
			other, isOther := strings.CutPrefix(line, "@")
			switch first, rest, _ := strings.Cut(other, " "); {
			case !b.command(line):
			case !isOther && strings.Contains(line, "::"): // a method of PHP
			case !isOther:
				work.Texts = append(work.Texts, line+quote(c.Args))
			case first == "php" || first == "composer":
				work.Texts = append(work.Texts, other)
			case first == "putenv":
				work.Texts = append(work.Texts, "export "+rest)
			default:
				if len(s[first]) > 0 && !done[first] && b.command(first) {
					work.Names = append(work.Names, first)
				}
				add(first)
			}
		}
	}
	for _, name := range c.Names {
		add(name)
	}
	return work, b.err()
}

// denoTasks are those of a deno.json, which may have comments, or of a package.json.
func denoTasks(text string, c *Call) (Work, error) {
	text = withoutComments(text)
	s, err := under(text, "tasks")
	if err != nil {
		return Work{}, err
	}
	if len(s) == 0 {
		return npmScripts(text, c)
	}
	var work Work
	b := c.Budget
	done := map[string]bool{}
	var add func(name string, args []string)
	add = func(name string, args []string) {
		if done[name] || !b.step(len(name)) {
			return
		}
		done[name] = true
		var task struct {
			Command      string   `json:"command"`
			Dependencies []string `json:"dependencies"`
		}
		if json.Unmarshal(s[name], &task) == nil {
			for _, need := range task.Dependencies {
				if len(s[need]) > 0 && !done[need] && b.command(need) {
					work.Names = append(work.Names, need)
				}
				add(need, nil)
			}
		} else if lines := s.lines(name); len(lines) == 1 {
			task.Command = lines[0]
		}
		if task.Command != "" && b.command(task.Command) {
			work.Texts = append(work.Texts, task.Command+quote(args))
		}
	}
	for _, name := range c.Names {
		add(name, c.Args)
	}
	return work, b.err()
}

// withoutComments makes JSON of a text that has comments and commas before a bracket.
func withoutComments(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case rest[0] == '"':
			end := 1
			for end < len(rest) && rest[end] != '"' && rest[end] != '\n' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(rest)-1)
			b.WriteString(rest[:end+1])
			i += end
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			i += n - 1
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return b.String()
			}
			i += n + 1
		case rest[0] == ',' && closes(rest[1:]):
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

func closes(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}

// bounded leaves out what is beyond the bound.
func bounded(texts []string, b *Budget) ([]string, error) {
	for i, text := range texts {
		if !b.command(text) {
			return texts[:i], ErrTooBig
		}
	}
	return texts, nil
}

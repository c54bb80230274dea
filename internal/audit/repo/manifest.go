package repo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// readManifest reads what a manifest declares.
func readManifest(kind string, content []byte) ([]dependency, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	switch kind {
	case "go.mod":
		return readGoMod(string(content)), nil
	case "package.json":
		return readPackageJSON(content)
	case "composer.json":
		return readComposer(content)
	case "requirements.txt":
		return readRequirements(string(content)), nil
	case "pyproject.toml", "Pipfile", "Cargo.toml":
		doc, err := parseTOML(string(content))
		if err != nil {
			return nil, err
		}
		switch kind {
		case "Cargo.toml":
			return readCargo(doc), nil
		case "Pipfile":
			return pythonTables(doc, "packages", "dev-packages"), nil
		}
		return readPyproject(doc), nil
	case "Gemfile":
		return readGemfile(string(content)), nil
	}
	return nil, fmt.Errorf("unknown kind of manifest %q", kind)
}

// readGoMod reads the requirements of a go.mod that are not indirect. Go takes the versions
// that are written there, and no others.
func readGoMod(text string) []dependency {
	var list []dependency
	block := ""
	for line := range strings.Lines(text) {
		line, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case words[0] == ")":
			block = ""
			continue
		case block == "" && len(words) > 1 && words[1] == "(":
			block = words[0]
			continue
		case block == "" && words[0] == "require":
			words = words[1:]
		case block != "require":
			continue
		}
		if len(words) == 2 && !strings.HasPrefix(strings.TrimSpace(comment), "indirect") {
			list = append(list, dependency{name: words[0], exact: true})
		}
	}
	return list
}

func readPackageJSON(content []byte) ([]dependency, error) {
	var doc struct {
		Dependencies map[string]json.RawMessage `json:"dependencies"`
		Dev          map[string]json.RawMessage `json:"devDependencies"`
		Optional     map[string]json.RawMessage `json:"optionalDependencies"`
	}
	if err := json.Unmarshal(content, &doc); err != nil {
		return nil, err
	}
	return jsonVersions(exactNPM, doc.Dependencies, doc.Dev, doc.Optional), nil
}

func readComposer(content []byte) ([]dependency, error) {
	var doc struct {
		Require map[string]json.RawMessage `json:"require"`
		Dev     map[string]json.RawMessage `json:"require-dev"`
	}
	if err := json.Unmarshal(content, &doc); err != nil {
		return nil, err
	}
	for _, table := range []map[string]json.RawMessage{doc.Require, doc.Dev} {
		for name := range table {
			if !strings.Contains(name, "/") { // php and its extensions
				delete(table, name)
			}
		}
	}
	return jsonVersions(exactNPM, doc.Require, doc.Dev), nil
}

func jsonVersions(exact func(string) (bool, bool), tables ...map[string]json.RawMessage) []dependency {
	var list []dependency
	for _, table := range tables {
		for name, raw := range table {
			var version string
			_ = json.Unmarshal(raw, &version) // a value that is not a text fixes nothing
			d := dependency{name: name}
			d.exact, d.inTree = exact(version)
			list = append(list, d)
		}
	}
	return list
}

// exactNPM reads a version of npm or Composer: 1.2.3 is exact, ^1.2.3 is not.
func exactNPM(version string) (exact, inTree bool) {
	v := strings.TrimSpace(version)
	for _, prefix := range []string{"workspace:", "file:", "link:", "portal:"} {
		if strings.HasPrefix(v, prefix) {
			return false, true
		}
	}
	if _, commit, ok := strings.Cut(v, "#"); ok {
		return isHash(commit), false
	}
	return isVersion(strings.TrimLeft(v, "=v ")), false
}

// isVersion reports whether s is a whole version and no range: at least two numbers.
func isVersion(s string) bool {
	core, _, _ := strings.Cut(s, "+")
	core, _, _ = strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	for _, part := range parts {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') }) || part[0] < '0' || part[0] > '9' || part == "x" {
			return false
		}
	}
	return len(parts) > 1 && !strings.ContainsAny(s, " ,|<>^~*")
}

// readRequirements reads a requirements file of pip. Options and other files that
// it names are not dependencies.
func readRequirements(text string) []dependency {
	var list []dependency
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if i := strings.Index(line, " #"); i >= 0 {
			line = line[:i]
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '-' && !strings.HasPrefix(line, "-e ") {
			continue
		}
		list = append(list, requirement(line))
	}
	return list
}

// requirement reads one requirement as PEP 508 writes it. == and === fix the
// version, and so do a hash and the commit of a URL.
func requirement(s string) dependency {
	if s == "." || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "-e .") || strings.HasPrefix(s, "file:") {
		return dependency{name: s, inTree: true}
	}
	hashed := strings.Contains(s, "--hash=")
	s, _, _ = strings.Cut(s, ";")
	if _, url, ok := strings.Cut(s, "@ "); ok || strings.Contains(s, "://") {
		i := strings.LastIndex(url+s, "@")
		commit, _, _ := strings.Cut((url + s)[i+1:], "#")
		return dependency{name: s, exact: hashed || isHash(strings.TrimSpace(commit))}
	}
	end := strings.IndexAny(s, "=<>!~ [(;")
	if end < 0 {
		return dependency{name: s, exact: hashed}
	}
	version := strings.TrimSpace(s[end:])
	if _, after, ok := strings.Cut(version, "]"); ok {
		version = after
	}
	version = strings.Trim(version, " ()")
	exact := strings.HasPrefix(version, "==") && !strings.ContainsAny(version, ",*")
	return dependency{name: s[:end], exact: exact || hashed}
}

// readGemfile reads the gem lines of a Gemfile. It is a program, which is not run:
// what it declares in another way is not seen.
func readGemfile(text string) []dependency {
	var list []dependency
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "gem ")
		if !ok {
			continue
		}
		args := strings.Split(rest, ",")
		d := dependency{name: strings.Trim(strings.TrimSpace(args[0]), `"'`)}
		for _, arg := range args[1:] {
			arg = strings.TrimSpace(arg)
			d.inTree = d.inTree || strings.HasPrefix(arg, "path:")
			d.exact = d.exact || isVersion(strings.Trim(arg, `"'= `)) && strings.ContainsAny(arg[:1], `"'`)
		}
		list = append(list, d)
	}
	return list
}

// readCargo reads a Cargo.toml. A plain "1.2.3" means any later one that is
// compatible; only = fixes it.
func readCargo(doc tomlTable) []dependency {
	exact := func(v string) bool { return strings.HasPrefix(strings.TrimSpace(v), "=") }
	tables := []tomlTable{doc, doc.at("workspace")}
	for platform := range doc.at("target") {
		tables = append(tables, doc.at("target", platform))
	}
	var list []dependency
	for _, table := range tables {
		for _, key := range []string{"dependencies", "dev-dependencies", "build-dependencies"} {
			list = append(list, tableVersions(table.at(key), exact)...)
		}
	}
	return list
}

// readPyproject reads what PEP 621, PEP 735 and Poetry have for dependencies.
func readPyproject(doc tomlTable) []dependency {
	var list []dependency
	add := func(v any) {
		items, _ := v.([]any)
		for _, item := range items {
			if s, ok := item.(string); ok {
				list = append(list, requirement(s))
			}
		}
	}
	add(doc.at("project")["dependencies"])
	for _, group := range doc.at("project", "optional-dependencies") {
		add(group)
	}
	for _, group := range doc.at("dependency-groups") {
		add(group)
	}
	poetry := doc.at("tool", "poetry")
	list = append(list, pythonTables(poetry, "dependencies", "dev-dependencies")...)
	for name := range poetry.at("group") {
		list = append(list, pythonTables(poetry.at("group", name), "dependencies")...)
	}
	return list
}

// pythonTables reads tables of versions as Poetry and Pipenv have them.
func pythonTables(doc tomlTable, names ...string) []dependency {
	var list []dependency
	for _, name := range names {
		for _, d := range tableVersions(doc.at(name), func(v string) bool {
			return strings.HasPrefix(v, "==") && !strings.Contains(v, "*") || isVersion(v)
		}) {
			if d.name != "python" {
				list = append(list, d)
			}
		}
	}
	return list
}

// tableVersions reads name = "version" and name = {version = "…"}.
func tableVersions(table tomlTable, exact func(string) bool) []dependency {
	var list []dependency
	for name, value := range table {
		d := dependency{name: name}
		switch v := value.(type) {
		case string:
			d.exact = exact(v)
		case map[string]any:
			version, _ := v["version"].(string)
			commit, _ := v["rev"].(string)
			d.exact = exact(version) || isHash(commit)
			d.inTree = v["path"] != nil || v["workspace"] != nil
		}
		list = append(list, d)
	}
	return list
}

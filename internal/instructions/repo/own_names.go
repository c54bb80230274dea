package repo

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// ofCrate is the name in the manifest of a crate, and ofPackage what names of packages look like.
	ofCrate   = lazy.Regexp{Source: `(?m)^\[package\][^\[]*?^name\s*=\s*["']([^"'\n]+)["']`}
	ofPackage = lazy.Regexp{Source: `^@?[A-Za-z][\w.-]{1,60}(?:/[A-Za-z][\w.-]{0,60})?$`}
)

// NamedPackage returns the name in the package.json of a folder, or "" if there is none.
func (t *Tree) NamedPackage(dir string) string {
	var manifest struct{ Name string }
	if data := t.manifest(dir, "package.json"); json.Unmarshal(data, &manifest) != nil || !ofPackage.Get().MatchString(manifest.Name) {
		return ""
	}
	return manifest.Name
}

// NamedCrate returns the name of the crate in the Cargo.toml of a folder, or "" if there is none.
func (t *Tree) NamedCrate(dir string) string {
	m := ofCrate.Get().FindSubmatch(t.manifest(dir, "Cargo.toml"))
	if m == nil || !ofPackage.Get().Match(m[1]) {
		return ""
	}
	return string(m[1])
}

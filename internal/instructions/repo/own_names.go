package repo

import (
	"encoding/json"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

var (
	// ofCrate is the name in the manifest of a crate, and ofPackage what names of packages look like.
	ofCrate   = lazy.Regexp{Source: `(?m)^\[package\][^\[]*?^name\s*=\s*["']([^"'\n]+)["']`}
	ofPackage = lazy.Regexp{Source: `^@?[A-Za-z][\w.-]{1,60}(?:/[A-Za-z][\w.-]{0,60})?$`}
)

// NamedPackage is the name of the package of JavaScript that a folder is by its manifest: "" for none.
func (t *Tree) NamedPackage(dir string) string {
	var manifest struct{ Name string }
	if data := t.manifest(dir, "package.json"); json.Unmarshal(data, &manifest) != nil || !ofPackage.Get().MatchString(manifest.Name) {
		return ""
	}
	return manifest.Name
}

// NamedCrate is the name of the crate that a folder is by its manifest: "" for none.
func (t *Tree) NamedCrate(dir string) string {
	m := ofCrate.Get().FindSubmatch(t.manifest(dir, "Cargo.toml"))
	if m == nil || !ofPackage.Get().Match(m[1]) {
		return ""
	}
	return string(m[1])
}

// manifest is a file of a folder of the project: none where the tree has no such file.
func (t *Tree) manifest(dir, name string) []byte {
	if !t.Known() || !t.Has(dir+"/"+name) {
		return nil
	}
	data, err := safefile.Read(filepath.Join(t.Root, filepath.FromSlash(dir), name), MaxManifest)
	if err != nil {
		return nil
	}
	return data
}

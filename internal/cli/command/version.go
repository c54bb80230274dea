package command

import (
	"runtime"
	"runtime/debug"
)

// A Build is what the program knows of its own build.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Date     string `json:"date"` // of the revision, in RFC 3339; empty if unknown
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Build is the program's build, with the version that its maker gave it.
func (e *Env) Build() Build {
	v := build()
	if e.Version != "" {
		v.Version = e.Version
	}
	return v
}

func build() Build {
	v := Build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// Version is the version of the build, with the revision where it is known.
func Version() string { return build().String() }

// String is the version, with the revision where it is known.
func (v Build) String() string {
	if v.Revision == "" {
		return v.Version
	}
	return v.Version + " (" + v.Revision[:min(12, len(v.Revision))] + ")"
}

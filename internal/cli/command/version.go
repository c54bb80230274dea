package command

import (
	"runtime"
	"runtime/debug"
)

// buildVersion is what the program knows of its own build.
type buildVersion struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func Build() buildVersion {
	v := buildVersion{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// Version is the version of the build, with the revision where it is known.
func Version() string {
	v := Build()
	if v.Revision == "" {
		return v.Version
	}
	return v.Version + " (" + v.Revision[:min(12, len(v.Revision))] + ")"
}

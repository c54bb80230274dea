package release

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/install"
)

// A Way is how a program came onto the machine.
type Way struct {
	Name    string `json:"name"`    // such as npm
	Command string `json:"command"` // brings the newest one
}

const goInstall = "CGO_ENABLED=0 go install github.com/agentsentinel/sentinel/cmd/...@latest"

const download = "https://github.com/agentsentinel/sentinel/releases/download/"

// ways are known by a part of the program's path without links, with slashes. In a command
// VERSION means the newest release, ARCH for the machine's.
var ways = []struct{ part, name, command string }{
	{"/_npx/", "npx", "npm install --global sentinel-guard@latest"},
	{"/lib/node_modules/", "npm", "npm install --global sentinel-guard@latest"},
	{"/npm/node_modules/", "npm", "npm install --global sentinel-guard@latest"},
	{"/node_modules/", "npm, in a project", "npm install sentinel-guard@latest"},
	{"/Caskroom/", "Homebrew", "brew upgrade --cask sentinel-guard"},
	{"/scoop/apps/", "Scoop", "scoop update sentinel-guard"},
	{"/WinGet/Packages/", "winget", "winget upgrade --id agentsentinel.sentinel"},
	{"/go/bin/", "go install", goInstall},
	{"/nix/store/", "Nix", "nix profile upgrade sentinel-guard"},
}

// packages are known by a file of the system's records, for a program in /usr/bin.
var packages = []struct{ record, name, command string }{
	{"/var/lib/dpkg/info/sentinel-guard.list", "deb", "curl -fLO {URL}.deb && sudo apt install ./{FILE}.deb"},
	{"/var/lib/pacman/local/sentinel-guard-*", "pacman", "sudo pacman -U {URL}.pkg.tar.zst"},
	{"/lib/apk/db/installed", "apk", "curl -fLO {URL}.apk && sudo apk add --allow-untrusted ./{FILE}.apk"},
	{"/usr/lib/sysimage/rpm", "rpm", "sudo rpm -U {URL}.rpm"},
	{"/var/lib/rpm", "rpm", "sudo rpm -U {URL}.rpm"},
}

// A Program is one that was installed.
type Program struct {
	Path   string // as it is on the PATH, or as it was started
	GOOS   string
	Arch   string
	Module bool   // Go loaded it as a module: `go install …@version`
	Tagged bool   // it was built of a release's files
	Root   string // in front of the records; "" is the machine's own
}

// Installed finds out how a program was installed, as far as its path and the system's
// records show it. newest is the release that the command is to bring.
func Installed(p Program, newest string) Way {
	real := p.Path
	if to, err := filepath.EvalSymlinks(p.Path); err == nil {
		real = to
	}
	slashed := strings.ReplaceAll(real, `\`, "/")
	for _, w := range ways {
		if strings.Contains(slashed, w.part) {
			return Way{w.name, w.command}
		}
	}
	if strings.HasPrefix(strings.TrimPrefix(slashed, filepath.ToSlash(p.Root)), "/usr/bin/") {
		for _, k := range packages {
			if found, _ := filepath.Glob(p.Root + k.record); len(found) > 0 {
				file := "sentinel-guard_" + strings.TrimPrefix(newest, "v") + "_" + p.GOOS + "_" + p.Arch
				return Way{k.name, strings.NewReplacer("{URL}", download+newest+"/"+file, "{FILE}", file).Replace(k.command)}
			}
		}
	}
	dir := filepath.Dir(real)
	const packaging = "https://raw.githubusercontent.com/agentsentinel/sentinel/main/packaging/"
	switch {
	case p.Module:
		return Way{"go install", goInstall}
	case !p.Tagged:
		return Way{"built from source", "git pull && CGO_ENABLED=0 go install ./cmd/..."}
	case p.GOOS == "windows":
		return Way{"archive", "& ([scriptblock]::Create((irm " + packaging + "install.ps1))) -Dir '" + strings.ReplaceAll(dir, "'", "''") + "'"}
	}
	return Way{"archive", "curl -fsSL " + packaging + "install.sh | sh -s -- --dir " + install.Posix.Word(dir)}
}

// pseudo is the end of a version that Go makes for a revision without a tag.
const pseudo = `[-.]\d{14}-[0-9a-f]{12}$`

// IsPseudo reports whether a version is of a revision, not of a release.
func IsPseudo(version string) bool { return regexp.MustCompile(pseudo).MatchString(version) }

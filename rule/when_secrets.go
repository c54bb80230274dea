package rule

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/scope"
)

//go:embed secretfiles.txt
var secretFilesText string

// secretPatterns are the patterns of secretfiles.txt, made when the first rule asks.
var secretPatterns = sync.OnceValues(func() (in, out *scope.Paths) {
	files, others := SecretFiles()
	return scope.NewPaths(files, false), scope.NewPaths(others, false)
})

// SecretFiles returns patterns for the files that the function secretFile of `when`
// knows as files of secrets, and those for other files that match as well.
func SecretFiles() (files, others []string) {
	for line := range strings.Lines(secretFilesText) {
		line = strings.TrimSpace(line)
		if other, ok := strings.CutPrefix(line, "!"); ok {
			others = append(others, other)
		} else if line != "" && line[0] != '#' {
			files = append(files, line)
		}
	}
	return files, others
}

// secretFile reports whether a path is by its name a file, or a folder, of secrets.
func secretFile(path string) bool {
	path = strings.TrimSuffix(slashed(path), "/")
	if strings.HasPrefix(path, "~") {
		path = "/" + path
	}
	if path == "" {
		return false
	}
	files, others := secretPatterns()
	if _, ok := files.Match(path); !ok {
		return false
	}
	_, ok := others.Match(path)
	return !ok
}

func findSecrets(text string) []whenSecret {
	found := secret.Find(text)
	out := make([]whenSecret, min(len(found), whenList))
	for i := range out {
		out[i] = whenSecret{Kind: found[i].Kind, Start: found[i].Start, End: found[i].End}
	}
	return out
}

package sentence

import (
	"regexp"
	"sync"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// english puts English words in the place of others that forms know.
func english(s string) string {
	if !han.Get().MatchString(s) {
		return s
	}
	for _, f := range foreign() {
		s = f.re.ReplaceAllString(s, f.with)
	}
	return spacedEnd.Get().ReplaceAllString(s, "$1$2")
}

var (
	han = lazy.Regexp{Source: `\p{Han}`}
	// spacedEnd is a sign behind the space that an English word ends with.
	spacedEnd = lazy.Regexp{Source: ` +([.,;:])( |$)`}
	foreign   = sync.OnceValue(func() (list []translation) {
		for _, f := range Words().Foreign {
			list = append(list, translation{regexp.MustCompile(f[0]), f[1]})
		}
		return list
	})
)

type translation struct {
	re   *regexp.Regexp
	with string
}

package rule

import (
	"strconv"
	"strings"
)

// Place are the file and the line that the rule comes from, by its source, such as
// "CLAUDE.md:14". The line is 0 where it names none.
func (d *Definition) Place() (file string, line int) {
	i := strings.LastIndexByte(d.Source, ':')
	line, err := strconv.Atoi(d.Source[i+1:])
	if i < 0 || err != nil || line < 1 {
		return d.Source, 0
	}
	return d.Source[:i], line
}

package markdown

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// componentTag is a line with a tag of a component of documents, which shows how a page is written: what is
// in it is the text of a page, and no line for the agent.
var componentTag = lazy.Regexp{Source: `^\s*<(/?)(Steps?|CodeGroup|Tabs?|Accordion|AccordionGroup|Card|CardGroup|Frame|ResponseExample|RequestExample|ParamField|ResponseField|Expandable|Columns)(?:\s[^<>]*)?>\s*$`}

// maxOpen bounds the components that are open at a time.
const maxOpen = 64

// inComponents reports for each line whether it is within a component that has an end.
func inComponents(lines []line) []bool {
	var open []openTag
	inner, fence := make([]int, len(lines)+1), ""
	for i := range lines {
		if fenced(&fence, lines[i].Shown) {
			continue
		}
		m := componentTag.Get().FindStringSubmatch(lines[i].Shown)
		switch {
		case m == nil:
		case m[1] == "" && len(open) < maxOpen:
			open = append(open, openTag{m[2], i})
		case m[1] != "":
			if k := lastOpen(open, m[2]); k >= 0 {
				inner[open[k].line]++
				inner[i+1]--
				open = open[:k]
			}
		}
	}
	within, depth := make([]bool, len(lines)), 0
	for i := range lines {
		depth += inner[i]
		within[i] = depth > 0
	}
	return within
}

// An openTag is a component that has no end so far, and the line that it begins in.
type openTag struct {
	name string
	line int
}

// lastOpen is the index of the last open tag of a name, -1 for none.
func lastOpen(open []openTag, name string) int {
	for i, t := range slices.Backward(open) {
		if t.name == name {
			return i
		}
	}
	return -1
}

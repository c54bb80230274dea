package text

import "strings"

// maxEndings is how many alternatives of a pattern are shown, as of *.{go,rs,…}.
const maxEndings = 8

// Pattern shows a pattern of paths with the first of its alternatives.
func Pattern(p string) string {
	before, rest, ok := strings.Cut(p, "{")
	list, after, closed := strings.Cut(rest, "}")
	each := strings.Split(list, ",")
	if !ok || !closed || len(each) <= maxEndings {
		return p
	}
	return before + "{" + strings.Join(each[:maxEndings], ",") + ",… " + Count(len(each)-maxEndings, "other") + "}" + after
}

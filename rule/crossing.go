package rule

import (
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// crossing warns of path patterns that were written for the older Python
// program, in which `*` matched any text, slashes too. A rule that uses a key or
// a value which that program did not have was written for this one.
func (c *checker) crossing() {
	d := c.def
	if d.When != "" || d.Message != "" || d.Mode != "" || d.Verdict != "" || d.Fallback != nil || d.Tests != nil || d.Draft != nil || d.settles() || d.Source != "" ||
		c.severity() == sentinel.SeverityAsk {
		return
	}
	for key, list := range map[string][]string{"scope": d.Scope, "exclude": d.Exclude} {
		for i, pattern := range list {
			files := d.Trigger == string(sentinel.FileWrite) ||
				d.Trigger == string(sentinel.Any) && strings.Contains(pattern, "/") && !strings.Contains(pattern, " ")
			if !files {
				continue
			}
			if instead := crossed(pattern); instead != nil {
				c.at(key, strconv.Itoa(i)).Warnf(0, "`*` stays within one folder; where `%s` was to match deeper ones too, write %s",
					pattern, quoteList(instead))
			}
		}
	}
}

func quoteList(patterns []string) string {
	quoted := make([]string, len(patterns))
	for i, p := range patterns {
		quoted[i] = strconv.Quote(p)
	}
	return strings.Join(quoted, " and ")
}

// crossed returns the patterns that match what the pattern matched while `*`
// crossed slashes, or nil where it makes no difference.
func crossed(pattern string) []string {
	if !strings.Contains(pattern, "*") || strings.ContainsAny(pattern, "{}\\") {
		return nil
	}
	elements := strings.Split(pattern, "/")
	var out []string
	changed, tail := false, false
	for i, e := range elements {
		free := i > 0 && elements[i-1] == "**" || len(elements) == 1 // the elements before it are any depth already
		lastOne := i == len(elements)-1
		switch {
		case e == "**":
		case e == "*" && !free:
			e, changed = "**", true
		case strings.HasPrefix(e, "*") && !free:
			out, changed = append(out, "**"), true
		}
		out = append(out, e)
		if strings.HasSuffix(e, "*") && strings.Trim(e, "*") != "" {
			switch {
			case lastOne:
				tail = true
			case elements[i+1] != "**":
				out, changed = append(out, "**"), true
			}
		}
	}
	whole := strings.Join(out, "/")
	switch {
	case tail && len(elements) == 1 && strings.HasPrefix(pattern, "*"):
		return []string{whole, "**/" + whole + "/**"}
	case tail:
		return []string{whole, whole + "/**"}
	case changed:
		return []string{whole}
	}
	return nil
}

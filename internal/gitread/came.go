package gitread

import (
	"slices"
	"strings"
)

// came returns the names of files that somebody else added: people who never committed in this work tree
// made each commit that added the file. Only commits behind base count; "" means all. Without git's record of
// who committed here it returns none.
func (t *tree) came(names []string, base string) ([]string, error) {
	here := t.committers()
	if t.apart || len(names) == 0 || len(here) == 0 {
		return nil, nil
	}
	asked := slices.Concat(filesOf, []string{"--format=%x00%ae%x00%ce", "--diff-filter=A", "HEAD"})
	if base != "" {
		asked = append(asked, "^"+base)
	}
	foreign := map[string]bool{}
	for part := range slices.Chunk(t.paths(names), maxNames) {
		out, err := t.reader.Ask(t.ctx, t.base, slices.Concat(asked, []string{"--"}, part)...)
		if err != nil {
			return nil, err
		}
		additions(string(out), func(author, committer, name string) {
			name = t.inside + name
			before, seen := foreign[name]
			foreign[name] = (before || !seen) && !here[strings.ToLower(author)] && !here[strings.ToLower(committer)]
		})
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !foreign[name] }), nil
}

// additions reads what git log lists: of each commit an empty text, the addresses of its author and its
// committer, and names, the first one in a line of its own.
func additions(listed string, do func(author, committer, name string)) {
	words := strings.Split(listed, "\x00")
	for len(words) > 3 {
		author, committer := words[1], words[2]
		words[3] = strings.TrimPrefix(words[3], "\n")
		for words = words[3:]; len(words) > 0 && words[0] != ""; words = words[1:] {
			do(author, committer, words[0])
		}
	}
}

// committers are the addresses of those who changed HEAD in this work tree, in small letters.
func (t *tree) committers() map[string]bool {
	all := map[string]bool{}
	record, err := reflog(t.git)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(record) {
		who, _, _ := strings.Cut(line, "\t")
		_, who, _ = strings.Cut(who, "<")
		if who, _, ok := strings.Cut(who, ">"); ok {
			all[strings.ToLower(who)] = true
		}
	}
	return all
}

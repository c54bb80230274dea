package pagetest

import (
	"regexp"
	"strings"
)

// A Block is a fenced block of a page.
type Block struct {
	Page    string // from the top of the repository, with slashes
	Line    int    // of the opening fence
	Heading string // the last one before it, without #
	Marker  string // the comment right above it, without <!-- and -->
	Kind    string // the first word of the fence
	File    string // the rest of the fence: the file that the block shows
	Text    string // without the indent of the fence
}

var (
	opening = regexp.MustCompile("^( *)(`{3,})(\\S*) ?(.*)$")
	title   = regexp.MustCompile(`^#+ +(.*)$`)
	comment = regexp.MustCompile(`^ *<!-- (.*) -->$`)
)

// Blocks are the fenced blocks of a page, in their order. A fence that is never closed
// reaches to the end of the page.
func Blocks(page, text string) (list []Block) {
	var heading, marker string
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		m := opening.FindStringSubmatch(lines[i])
		if m == nil {
			marker = ""
			if c := comment.FindStringSubmatch(lines[i]); c != nil {
				marker = c[1]
			} else if t := title.FindStringSubmatch(lines[i]); t != nil {
				heading = strings.TrimSpace(t[1])
			}
			continue
		}
		b := Block{Page: page, Line: i + 1, Heading: heading, Marker: marker, Kind: m[3], File: m[4]}
		marker = ""
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != m[2]; i++ {
			b.Text += strings.TrimPrefix(lines[i], m[1]) + "\n"
		}
		list = append(list, b)
	}
	return list
}

// Begins is the first line of the block that is not empty.
func (b *Block) Begins() string {
	line, _, _ := strings.Cut(strings.TrimLeft(b.Text, "\n"), "\n")
	return strings.TrimSpace(line)
}

// A Command is one command of a block, and what the block shows that it prints.
type Command struct {
	Line   string
	Prints string
	Status string // the exit status that a comment names: "2" of "# exit status 2"; "0" without one
}

var (
	programs = regexp.MustCompile(`^(sentinel|sentinel-audit|sentinel-watch|git|go|npm|docker|mkdir|cp|cd|export|jq|chmod|curl|pip|cosign|gh|\.ci/\w+|[A-Z_]+=\S*) `)
	remark   = regexp.MustCompile(`\s+# .*$`)
	status   = regexp.MustCompile(`# exit status (\d+)`)
	aligned  = regexp.MustCompile(`\S {3,}\S`)
)

// IsShell reports whether a block is one of commands: by its kind, or by what it begins
// with where it has none.
func (b *Block) IsShell() bool {
	switch b.Kind {
	case "console", "sh", "bash":
		return true
	case "", "text":
		return strings.HasPrefix(b.Begins(), "$ ") || programs.MatchString(b.Begins()+" ")
	}
	return false
}

// Commands are those of a block of commands. Where lines begin with a prompt, the others
// are output; else each line is a command, but for comments. A script, with #!, is one.
func (b *Block) Commands() (list []Command) {
	if strings.HasPrefix(b.Text, "#!") {
		return []Command{{Line: b.Text, Status: "0"}}
	}
	prompted := strings.HasPrefix(b.Begins(), "$ ")
	lines := strings.Split(strings.TrimRight(b.Text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line, isCommand := strings.CutPrefix(lines[i], "$ ")
		switch {
		case prompted && !isCommand && len(list) > 0:
			list[len(list)-1].Prints += lines[i] + "\n"
			continue
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
			continue
		}
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + strings.TrimSpace(lines[i])
		}
		c := Command{Status: "0"}
		if m := status.FindStringSubmatch(line); m != nil {
			c.Status = m[1]
		}
		line = remark.ReplaceAllString(line, "")
		if at := aligned.FindStringIndex(line); at != nil && b.Kind == "" && !prompted {
			line = line[:at[0]+1] // a column that says what the command does
		}
		c.Line = strings.TrimSpace(line)
		list = append(list, c)
	}
	return list
}

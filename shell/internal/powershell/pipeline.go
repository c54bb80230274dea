package powershell

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// A Pipeline is what the commands of a text pass on through |: the files that Get-ChildItem
// lists and a later command is about.
type Pipeline struct {
	end   int // of the last command
	files []Word
}

// listers are the commands that list files, and those that pass on what they are given.
const (
	listers = "Get-ChildItem gci ls dir Get-Item gi Resolve-Path rvpa"
	passes  = "Where-Object where ? Select-Object select Sort-Object sort ForEach-Object foreach %"
)

// Next returns the words of the next command with the files that the pipeline gives it.
func (p *Pipeline) Next(src string, words []Word) []Word {
	first, last := words[0], words[len(words)-1]
	between := src[min(p.end, len(src)):min(max(p.end, first.Start), len(src))]
	if p.end = last.End; !strings.ContainsAny(between, "|{") || strings.ContainsAny(between, ";\n") {
		p.files = nil
	}
	name := first.Text
	switch {
	case Is(name, listers):
		paths, _ := operands(words[1:])
		p.files = nil
		if len(paths) == 0 {
			paths = []string{"."}
		}
		for _, file := range paths {
			if Is(name, "Get-ChildItem gci ls dir") && !strings.ContainsAny(file, "*?") {
				file = strings.TrimRight(slashes(file), "/") + "/*"
			}
			p.files = append(p.files, Word{Text: file, Start: first.Start, End: first.End})
		}
	case len(p.files) == 0 || Is(name, passes):
	case kindOf(name) != effect.None:
		words = p.given(words)
	}
	return words
}

// given puts the files in the place of $_, or behind the words where they name no file.
func (p *Pipeline) given(words []Word) []Word {
	var all []Word
	found := false
	for _, word := range words {
		if strings.HasPrefix(word.Text, "$_") || strings.HasPrefix(word.Text, "$PSItem") {
			all, found = append(all, p.files...), true
			continue
		}
		all = append(all, word)
	}
	paths, _ := operands(words[1:])
	kind := kindOf(words[0].Text)
	switch {
	case found:
	case len(paths) <= 1 && Is(words[0].Text, "Select-String sls"), len(paths) == 0 && (kind == effect.Delete || kind == effect.Read || kind == effect.Edit):
		all = append(all, p.files...)
	case len(paths) == 1 && (kind == copied || kind == effect.Move): // its own operand is where they go
		all = append(append(words[:1:1], p.files...), words[1:]...)
	}
	return all
}

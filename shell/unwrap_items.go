package shell

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// unwrapXargs takes off xargs. Its input becomes operands where it is known from
// the line: echo / | xargs rm -rf.
func (w walker) unwrapXargs(s simple) (walker, simple, bool) {
	i := skipOptions(s.words, 1, wrapperOptions("xargs"))
	if i >= len(s.words) {
		return w, s, false
	}
	replace, delim, empty := xargsOptions(s.words[1:i])
	w = w.subshell()
	if file := xargsFile(s.words[1:i]); file.text != "" {
		content, _ := w.fileContent(file)
		if file.sub != nil {
			content = *file.sub
		}
		w.env.stdin, w.env.piped = w.ofFile(file, content), true
	}
	if !w.stdin.filtered {
		w.env.stdin = w.input(asData)
	}
	in := w.within("xargs").subshell()
	next := s.from(i)
	items, known := w.xargsItems(delim, replace != "")
	if len(items) == 0 && !w.stdin.lists() {
		in = in.noTimes()
	}
	if known && len(items) == 0 && (empty || replace != "") {
		return w, s, false
	}
	for j := range items {
		items[j].span = s.span
	}
	switch {
	case replace == "":
		next.words = append(append([]field(nil), next.words...), items...)
		if !known {
			next.words = append(next.words, w.listed(s.span))
		}
	case len(items) > 0:
		items = w.rounds(items)
		for _, item := range items[1:] {
			round := next
			round.words = replaceItem(next.words, replace, item)
			in.analyze(round)
		}
		next.words = replaceItem(next.words, replace, items[0])
	default:
		next.words = replaceItem(next.words, replace, w.listed(s.span))
	}
	if !known {
		in.env.stdin, in.env.piped = output{from: w.stdin.from}, w.piped
	} else {
		in.env.stdin, in.env.piped = nothing(), true
	}
	return in, next, true
}

// xargsItem represents an item that xargs reads and that is not known.
const xargsItem = "$xargs"

// listed is the operand for names that xargs reads and that are not known: a
// pattern for the files, or a name of its own.
func (w walker) listed(span Span) field {
	f := field{text: xargsItem, span: span, inner: -1, sub: &output{from: w.stdin.from}}
	if w.piped && len(w.stdin.names) > 0 {
		f.text, f.names, f.glob = w.stdin.names[0], w.stdin.names, true
	}
	return f
}

// xargsOptions returns the text that xargs replaces (-I {}), its delimiter, and whether it
// runs nothing where it reads nothing.
func xargsOptions(words []field) (replace, delim string, empty bool) {
	for i, f := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1].text
		}
		switch {
		case f.text == "-I" || f.text == "-J" || f.text == "--replace-str":
			replace = next
		case strings.HasPrefix(f.text, "-I"):
			replace = f.text[2:]
		case f.text == "-i" || f.text == "--replace":
			replace = "{}"
		case strings.HasPrefix(f.text, "--replace="):
			replace = f.text[len("--replace="):]
		case f.text == "-r" || f.text == "--no-run-if-empty":
			empty = true
		case f.text == "-0" || f.text == "--null" || f.text == "-r0" || f.text == "-0r":
			delim, empty = "\x00", empty || strings.Contains(f.text, "r")
		case f.text == "-d":
			delim = decode.Escapes(next)
		case strings.HasPrefix(f.text, "-d"):
			delim = decode.Escapes(f.text[2:])
		}
	}
	return replace, delim, empty
}

// xargsItems splits the input of xargs. known is false when it is not known.
func (w walker) xargsItems(delim string, lines bool) (items []field, known bool) {
	if !w.piped || !w.stdin.known {
		return nil, false
	}
	text := strings.TrimRight(w.stdin.text, "\n")
	var parts []string
	switch {
	case delim != "" && delim != "\x00":
		parts = strings.Split(text, delim)
	case lines || delim != "":
		parts = strings.Split(text, "\n")
	default:
		parts = strings.Fields(text)
	}
	for _, p := range parts {
		if p = strings.Trim(p, "'\""); p == "" {
			continue
		}
		if len(items) == maxWords {
			w.bounded(tooBig)
			break
		}
		items = append(items, field{text: p, inner: -1, known: true, quoted: true})
	}
	return items, true
}

// replaceItem puts an item wherever a command has the string that xargs replaces.
func replaceItem(words []field, replaced string, item field) []field {
	out := append([]field(nil), words...)
	for i, f := range out {
		if strings.Contains(f.text, replaced) {
			out[i].text, out[i].names = strings.ReplaceAll(f.text, replaced, item.text), nil
			for _, name := range item.names {
				out[i].names = append(out[i].names, strings.ReplaceAll(f.text, replaced, name))
			}
			out[i].inner, out[i].known = -1, f.known && item.known
			if f.text == replaced {
				out[i].sub = item.sub
			}
		}
	}
	return out
}

// unwrapParallel takes off GNU parallel: parallel [options] command [::: items].
// It runs once for each item; all rounds but the last are walked here.
func (w walker) unwrapParallel(s simple) (walker, simple, bool) {
	i := skipOptions(s.words, 1, wrapperOptions("parallel"))
	next := s.from(i)
	items := []field{{text: "$item", span: s.span, inner: -1}}
	if w.piped && len(w.stdin.names) > 0 {
		items[0] = w.listed(s.span)
	}
	if read, known := w.xargsItems("", true); known && len(read) > 0 {
		items = read
	}
	for j, f := range next.words {
		if strings.HasPrefix(f.text, ":::") {
			if j+1 < len(next.words) {
				items = next.words[j+1:]
			}
			next.words = next.words[:j]
			break
		}
	}
	in := w.within("parallel").subshell()
	if !items[0].isOne() && !w.stdin.lists() {
		in = in.noTimes()
	}
	in.env.piped = false
	items = w.rounds(items)
	for _, item := range items[:len(items)-1] {
		in.analyze(parallelRound(next, item))
	}
	next = parallelRound(next, items[len(items)-1])
	return in, next, true
}

// parallelRound returns the command of parallel for one item. Without a command
// the items are commands themselves.
func parallelRound(s simple, item field) simple {
	switch {
	case len(s.words) == 0:
		s.words = shellText(item)
	case strings.Contains(joinFields(s.words), "{}"):
		s.words = splitJoined(replaceItem(s.words, "{}", item))
	default:
		s.words = splitJoined(append(append([]field(nil), s.words...), item))
	}
	return s
}

package statement

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// IfAbout begins a message of a rule that warns in one case.
func IfAbout(words string) string {
	words, _, _ = strings.Cut(words, " unless ")
	words = caseOnly(strings.NewReplacer("… ", " ", "... ", " ").Replace(words))
	words = forms.CutOff.Get().ReplaceAllString(saysMore.Get().ReplaceAllString(forms.AimBehind.Get().ReplaceAllString(words, ""), ""), "")
	if said, ok := strings.CutPrefix(words, "you "); ok {
		return "If you " + said + ", "
	}
	if WhereFront.Get().MatchString(words + ", ") {
		return "If this is " + words + ", "
	}
	if Asked.Get().MatchString(words) {
		return strings.ToUpper(words[:1]) + words[1:] + ", "
	}
	if words = timeFirst.Get().ReplaceAllString(words, ""); changesSo.Get().MatchString(words) || wholeClause.Get().MatchString(words) && !relative.Get().MatchString(words) {
		return "If " + words + ", "
	}
	return "If this is about " + words + ", "
}

// orderLeft is the beginning of an order behind a case.
var orderLeft = lazy.Regexp{Source: `, (?:first|always|also|then|please|next|immediately|you must)$`}

// saysMore is what a sentence says of a case besides.
var saysMore = lazy.Regexp{Source: `, [^,(]*\b(?:covers|is|are|has|does|runs|needs|uses|must|will)\b.*$`}

// caseOnly is a case without the order that follows it in a sentence: "editing, read the file, …".
func caseOnly(said string) string {
	said = orderLeft.Get().ReplaceAllString(said, "")
	parts := strings.Split(said, ", ")
	for i, part := range parts {
		m := orderNext.Get().FindStringSubmatch(part)
		if i > 0 && m != nil && sentence.Words().IsVerb[m[1]] && !strings.HasPrefix(said, "you ") {
			return strings.Join(parts[:i], ", ")
		}
	}
	return said
}

// orderNext is an order with its object.
var orderNext = lazy.Regexp{Source: `^(?:and |then |also )*(?:re-)?([a-z]+) (?:(?:the|an?|this|that|it|them|all|any|each|every|your|its) |(?:the|an?|this|it|them)$)`}

// exception begins an item, or a sentence, about a case in which what is in front does not hold.
var exception = lazy.Regexp{Source: `(?i)^[\W_]*(?:(?:the |an? )?(?:only |sole |one )?exceptions?(?: to (?:this|that|the rule|it))?[*_]*:[*_]*|(?:the )?exceptions? (?:to|from) [^.:;]{2,40}? (?:is|are)\b|(?:the |an? )?(?:only |sole |one )?exception is\b|(?:the )?(?:only|sole) exceptions are\b|exceptions are (?:when|if|for|where|in)\b|exceptions?[*_]*:?[*_]* (?:if|when|whenever|where|for|in|on|during|while)\b|except\b|unless\b)[,:]? *`}

var (
	// says matches words that end with the verb; someCase matches what may follow the verb.
	says     = lazy.Regexp{Source: `(?i)\b(?:is|are)[,:]? *$`}
	someCase = lazy.Regexp{Source: "(?i)^[\\W_]*(?:when|whenever|if|for|where|in|on|during|while|to|a|an|the)\\b|^[`\"‹]"}
	// anError matches an error that code raises.
	anError = lazy.Regexp{Source: `(?i)^[\W_]*(?:an? )?(?:exception|bug|error|failure|fault|crash|signal|subclass|type|object|class)(?:e?s)?\W*$|^[\W_]*(?:an? |the )?[\W_]*\w*(?:Error|Exception)s?\W*$`}
	// forErrors says what errors are for.
	forErrors = lazy.Regexp{Source: `(?i)^\W*exceptions are for (?:errors|failures|bugs|\w+ (?:errors|failures))\b`}
	// theOnly begins an exception to a rule, whatever follows.
	theOnly = lazy.Regexp{Source: `(?i)^[\W_]*(?:the )?(?:only|sole|one) `}
)

// ExceptionAt finds the words that introduce an exception at the beginning of a text, nil for none.
// "The exception is logged" and "Exceptions are never granted" introduce no case.
func ExceptionAt(text string) []int {
	at := exception.Get().FindStringIndex(text)
	if at == nil || theOnly.Get().MatchString(text) || !says.Get().MatchString(text[:at[1]]) && !forErrors.Get().MatchString(text) {
		return at
	}
	if what := text[at[1]:]; forErrors.Get().MatchString(text) || !someCase.Get().MatchString(what) || anError.Get().MatchString(what) {
		return nil
	}
	return at
}

// exceptions notes for each item the case that the item behind it, or below it, takes out.
func exceptions(list []Statement) {
	for i := range list {
		s := &list[i]
		at := ExceptionAt(s.Text)
		if s.Block != markdown.Item || at == nil || strings.TrimSpace(s.Text[at[1]:]) == "" {
			continue
		}
		for k := i - 1; k >= 0 && list[k].Block == markdown.Item && slices.Equal(list[k].Section, s.Section); k-- {
			if ExceptionAt(list[k].Text) != nil {
				continue
			}
			if list[k].Lead == s.Lead || s.Lead != "" && strings.HasSuffix(list[k].Text, s.Lead) {
				list[k].Except = s.Text
			}
			break
		}
	}
}

// Asked is the beginning of a case that is a sentence of its own.
var Asked = lazy.Regexp{Source: `^(?:if|when|whenever|once) `}

// WhereFront is a place, a system or a time in front of a sentence.
var WhereFront = lazy.Regexp{Source: `^(?:on|in|for|with|under|inside|within) [^,‹.;:]{3,60}, `}

// hookTitle is a heading about the hooks themselves.
var hookTitle = lazy.Regexp{Source: `(?i)pre-?commit[ -]hooks?\b`}

// Cases begins a sentence about some cases, which the one behind it may go on with.
var Cases = lazy.Regexp{Source: `^(?:if|when|whenever|while|during|in case|once)\b`}

// timeFirst is a word in front of a case that a message does not need.
var timeFirst = lazy.Regexp{Source: `^(?:after|before|during) `}

// wholeClause is a case with a subject and a verb, and relative one whose verb is of a clause about a name.
var wholeClause = lazy.Regexp{Source: `^(?:an?|the|your|any|this|all|[a-z][\w-]*)\b[^,]* (?:is|are|was|were|affects|touches|spans|alters|modifies|introduces|needs|requires|does|do|did|has|have|produces|breaks|adds|removes|changes the)\b|^(?:an?|the|your|any|[\w-]+)(?: [\w-]+){0,3} changed$|^an? (?:[\w-]+ ){1,3}changes$`}

// changesSo is one about how its subject changes.
var changesSo = lazy.Regexp{Source: `^(?:an?|the|this|any) (?:[\w-]+ ){1,4}changes (?:in a way|so|such) that\b`}

var relative = lazy.Regexp{Source: `\b(?:that|which|who|whose|where)\b|^\w+ing\b`}

// caseOfOwn is a case at the beginning of a statement.
var caseOfOwn = lazy.Regexp{Source: `(?i)^\W*(?:only )?(?:if|in case) (?:you|it|this|that|the|an?|there)\b[^.,:]{3,80}:`}

// workDone is the work that the lead of a list of files names.
var workDone = lazy.Regexp{Source: `(?i)^[\W_]*(?:when(?:ever)?|if|after|every time) (you )?((?:add|creat|chang|modif|updat|bump|renam|remov)\w*(?: (?:or|and) \w+)? [\w '/-]{2,50}?)(?:,|:| you must| always| also| update)`}

// IfAdds says what a list of files is about, by its title or its lead.
func (s *Statement) IfAdds() string {
	if m := workDone.Get().FindStringSubmatch(s.Text); m != nil && m[1] != "" {
		return "If you " + m[2] + ", "
	} else if m != nil && adding.Get().FindString(s.Text) == "" {
		return IfAbout(m[2])
	}
	m := adding.Get().FindStringSubmatch(s.Text)
	if m == nil {
		return "If this adds what the line is about, "
	}
	fields := strings.Fields(m[1])
	for i, w := range fields {
		fields[i] = Lowered(w)
	}
	return "If this adds " + strings.Join(fields, " ") + ", "
}

// Conventions is the name of a form of messages.
var Conventions = lazy.Regexp{Source: `(?:conventional|semantic)[- ]commits?`}

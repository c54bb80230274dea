package judges

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/strictjson"
	"github.com/agentsentinel/sentinel/internal/text"
)

// answerSchema is the form of an opinion. The argument comes before the score,
// because a model that writes its reasons first scores by them. It has a least
// length, because small models would write only a comma.
func answerSchema(s audit.Scale) string {
	return fmt.Sprintf(`{"type":"object","properties":{`+
		`"argument":{"type":"string","minLength":20,"maxLength":600},`+
		`"cited_evidence":{"type":"array","items":{"type":"string","maxLength":16},"maxItems":12},`+
		`"score":{"type":"integer","minimum":%d,"maximum":%d}},`+
		`"required":["argument","cited_evidence","score"],"additionalProperties":false}`, s.Low(), s.High())
}

// Bounds of an answer, for services that accept no bounds in a schema. Longer
// texts are cut: a wordy opinion still counts.
const (
	maxArgument = 2000 // bytes
	maxCited    = 50
)

// answer is a judge's answer, read.
type answer struct {
	score    int
	argument string
	cited    []string // each once, in the answer's order
}

var errFence = errors.New("the answer repeats the mark around the evidence")

// parseAnswer reads an answer strictly; the error says what is wrong with it.
// fence is the mark around the evidence: the evidence dictated an answer that
// contains it.
func parseAnswer(text, fence string, s audit.Scale) (a answer, err error) {
	if fence != "" && strings.Contains(text, fence) {
		return a, errFence
	}
	object, err := strictjson.Object(text, "argument", "cited_evidence", "score")
	if err != nil {
		return a, err
	}
	if a.score, err = readScore(object["score"], s); err != nil {
		return a, err
	}
	if a.argument, err = readArgument(object["argument"]); err != nil {
		return a, err
	}
	a.cited, err = readCited(object["cited_evidence"])
	return a, err
}

// readScore takes a whole number of the scale, also one written 4.0, which JSON
// Schema counts as whole.
func readScore(raw json.RawMessage, s audit.Scale) (int, error) {
	var score float64
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &score) != nil || score != math.Trunc(score) || score < float64(s.Low()) || score > float64(s.High()) {
		return 0, fmt.Errorf(`key "score" is no whole number from %s`, s)
	}
	return int(score), nil
}

func readArgument(raw json.RawMessage) (string, error) {
	var said string
	if len(raw) == 0 || json.Unmarshal(raw, &said) != nil {
		return "", errors.New(`key "argument" is no text`)
	}
	said = strings.TrimSpace(text.Clean(said))
	if !strings.ContainsFunc(said, isWord) {
		return "", errors.New(`key "argument" says nothing`)
	}
	return clip(said, maxArgument), nil
}

func isWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= utf8.RuneSelf
}

func readCited(raw json.RawMessage) ([]string, error) {
	var list []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, errors.New(`key "cited_evidence" is no list`)
	}
	var cited []string
	for _, item := range list {
		var id string
		if json.Unmarshal(item, &id) != nil || string(item) == "null" {
			return nil, errors.New(`key "cited_evidence" lists what is no text`)
		}
		if len(cited) < maxCited && !slices.Contains(cited, id) {
			cited = append(cited, id)
		}
	}
	return cited, nil
}

// divide separates cited ids into those that the judge has seen and those that it
// invented. Only an exact id counts: repo#1 is not repo#10.
func divide(cited, shown []string) (valid, invalid []string) {
	valid = []string{}
	for _, id := range cited {
		if slices.Contains(shown, id) {
			valid = append(valid, id)
		} else {
			invalid = append(invalid, clip(oneLine(id), 80))
		}
	}
	return valid, invalid
}

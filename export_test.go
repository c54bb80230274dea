package sentinel

// DecisionJSON is the type of the JSON form of a decision, for its schema.
var DecisionJSON any = decisionJSON{}

// What rules of package rule have besides [Conditional].
type (
	Doubter = doubter
	Teller  = teller
	Asker   = asker
	Pointer = pointer
)

// ParseAnswer is parseAnswer, for the fuzz test and the table of answers.
func ParseAnswer(text, fence string) (violation bool, confidence float64, reason string, err error) {
	a, err := parseAnswer(text, fence)
	return a.violation, a.confidence, a.reason, err
}

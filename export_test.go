package sentinel

// ParseAnswer is parseAnswer, for the fuzz test and the table of answers.
func ParseAnswer(text, fence string) (violation bool, confidence float64, reason string, err error) {
	a, err := parseAnswer(text, fence)
	return a.violation, a.confidence, a.reason, err
}

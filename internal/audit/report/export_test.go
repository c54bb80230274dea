package report

// What tests look at by itself.
var (
	Inline    = inline
	Code      = code
	CodeBlock = codeBlock
	SummaryOf = summaryOf
)

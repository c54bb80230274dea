package instructions

import (
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// "Never commit" without more forbids each commit. Where a line has the object behind a colon, or
// in front of parentheses, it is about that object only.

// placeTaken ends with what is not to be used: code below it is what to use in its place.
var placeTaken = lazy.Regexp{Source: `\b(?:instead of|rather than|in place of) [^.;:,]*[\w›)][^.;:,]*$`}

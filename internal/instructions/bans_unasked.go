package instructions

import "github.com/agentsentinel/sentinel/internal/lazy"

// bansUnasked introduces commands that may run when a person agrees: "never run these without approval:".
var bansUnasked = lazy.Regexp{Source: `^\W*(?:you (?:must|should|may) )?(?:never|do not|don't|not) (?:ever )?(?:run|execute|use|call|perform|do)\b[^.:;‹]{0,60} without (?:[\w-]+ ){0,4}(?:approval|confirmation|permission|consent|authori[sz]ation|asking|being asked)\b[^.:;‹]{0,30}:\W*$`}

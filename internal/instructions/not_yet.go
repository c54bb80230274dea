package instructions

import "github.com/agentsentinel/sentinel/internal/lazy"

// A line may tell what will hold: a rule of it would stop what is right today.

var (
	// whenThere is a sentence about what may be there and may not.
	whenThere = lazy.Regexp{Source: `\b(?:when|where|if|whenever) (?:(?:[\w‹›-]+ ){1,5}?(?:is|are|becomes?) )?available\b`}
	// notYetAbove is above lines about what holds later.
	notYetAbove = lazy.Regexp{Source: `^[\W\d]*(?:planned|future|upcoming) (?:[\w-]+ ){0,2}(?:commands|features?|work|improvements?|tools?|tooling|phases?|steps?|checks?|structure|architecture|migrations?|scripts?|state|gates?)\W*$|^[\W\d]*(?:available|valid|in force|active|enforced) (?:once|after|when|from) `}
)

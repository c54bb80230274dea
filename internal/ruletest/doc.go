// Package ruletest runs the cases of rule files: actions, and what
// the rule is to say of them.
//
// [Run] asks no model. A case passes through matching, the rule's expression,
// its template and the parser of answers; where the rule asks a model, the
// answer recorded with the case replaces it. [Live] asks the real
// backends, repeats, compares models, and measures how right they are.
package ruletest

// Package text makes texts from others fit to be shown: to a model, an agent, a
// terminal or a log. Payloads, file names, command output and model answers are
// hostile: they may hold escape sequences, characters that turn the reading
// direction, and characters that are not seen.
//
// [Hidden] says which characters those are. [Clean] shows them escaped, [Strip]
// leaves them out and [Blank] puts spaces in their place. [Line], [OneLine] and
// [Name] make single lines, [Cut], [CutBytes], [Middle] and [Snippet] bound a
// text.
//
// All functions are pure and safe for concurrent use.
package text

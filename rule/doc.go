// Package rule turns rule files into rules.
//
// A rule file is one YAML or JSON mapping; docs/rules.md is its manual and
// [Schema] its JSON Schema. [Parse] reads one file and reports every fault of
// it, [Build] makes rules of many files and never leaves one out: a file with a
// fault becomes a rule that cannot be judged ([sentinel.RuleSpec].Err), applies
// to what could be read of its trigger and scope, and so is noticed.
//
//	f := rule.Parse("rules/no-push.yaml", data)
//	rules, problems := rule.Build([]rule.File{f}, nil)
//	engine, err := sentinel.New(rules, nil)
//
// Parsing YAML is the slow part, about fifty times slower than everything else
// here, so a program that starts often keeps the parsed files, and an [Index] that
// says which of them an action may be about. Building a rule compiles nothing:
// patterns are compiled when an action comes by that could match them, an
// expression when its scope has matched.
package rule

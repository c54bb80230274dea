// Package repo is the RepoInvestigator: it brings a repository onto this machine
// such that none of its code can run, and finds the facts that a rubric's probes ask
// for, in its files and in its history.
//
// A repository is hostile. It is cloned by git with an environment of its own,
// without a checkout, hooks, templates, submodules, filters or links, and within
// limits of time and size; a local folder is cloned too. Files are read from the
// object store, so that no link, case or filter of a working tree matters. Their
// content is never executed. See [Clone].
//
// The evidence of each probe says what was looked at and how. A part that could not be
// examined is named as such and is never a fact. See [Investigate].
package repo

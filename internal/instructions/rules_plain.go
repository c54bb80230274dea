package instructions

import "slices"

// featureBranch warns of work on the main branches, where a line wants it on others.
func (b *builder) featureBranch() []ruleFile {
	b.hit.slots["branch"] = "main or master"
	return b.branch()
}

// neverSkip wants what a line says is never to be left out.
func (b *builder) neverSkip() []ruleFile {
	b.hit.slots["run"] = b.hit.slots["skip"]
	return b.requires()
}

// imperative wants messages that begin with a verb in the imperative. It knows other forms
// of usual verbs.
func (b *builder) imperative() []ruleFile {
	const verbs = `add(s|ed|ing)|fix(es|ed|ing)|updat(es|ed|ing)|remov(es|ed|ing)|chang(es|ed|ing)|implement(s|ed|ing)|improv(es|ed|ing)|refactor(s|ed|ing)|creat(es|ed|ing)|delet(es|ed|ing)|renam(es|ed|ing)|mov(es|ed)|introduc(es|ed|ing)|correct(s|ed)|replac(es|ed|ing)|enabl(es|ed)|disabl(es|ed)|upgrad(es|ed|ing)|bump(s|ed|ing)`
	return b.onCommits("", commitMessage()+"message matches `(?i)^(\\w+(\\([^)]*\\))?!?: *)?("+verbs+")\\s`",
		"It stops commits whose message begins with a verb in another form than the imperative, as in `Added …`.", "Begin the message with an imperative, as in `Add the thing`.", "fix: Add the thing", "Added the thing")
}

// references wants the number of an issue in messages, or in the texts of pull requests.
func (b *builder) references() []ruleFile {
	const number = `#\d+|\b[A-Z][A-Z\d]+-\d+\b|/issues/\d+`
	if slices.ContainsFunc(b.hit.phrase.terms, func(t term) bool { return t.kind == 'a' && t.text == "pull-request" }) {
		r := ruleFile{ID: "in pull requests", Trigger: "bash", Scope: []string{"gh pr create*"}, Message: "Name the issue in the text, as in `Closes #12`."}
		r.When = `hasFlag(cmd, "--body", "-b") and not (cmd.text contains "$") and not (cmd.text matches ` + "`" + number + "`)"
		r.why = "It stops pull requests whose text names no issue."
		r.Tests = []ruleCase{stops(ruleCase{Bash: "gh pr create --title x --body 'The thing'"}), passes(ruleCase{Bash: "gh pr create --title x --body 'Closes #12'"}), passes(ruleCase{Bash: "gh pr create --fill"})}
		return []ruleFile{r}
	}
	return b.onCommits("", commitMessage()+"message != \"\" and not (message startsWith \"$\") and not (cmd.text matches `"+number+"`)",
		"It stops commits whose message names no issue.", "Name the issue in the message, as in `(#12)`.", "fix: the thing (#12)", "fix: the thing")
}

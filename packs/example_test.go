package packs_test

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

// The rules of a pack are files like those of a repository.
func Example() {
	files, err := packs.Files("git")
	if err != nil {
		fmt.Println(err)
		return
	}
	var parsed []rule.File
	for _, f := range files {
		parsed = append(parsed, rule.Parse(f.Name, f.Data))
	}
	rules, problems := rule.Build(parsed, nil)
	fmt.Println(len(rules) == len(files), len(problems), strings.Contains(strings.Join(packs.Names(), " "), "git"))
	// Output: true 0 true
}

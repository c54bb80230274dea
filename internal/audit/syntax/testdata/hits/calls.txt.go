// Package p: exec.Command("decoy")
package p

import (
	"example.com/exec"
	"example.com/tool/v3"
	"gopkg.in/yaml.v3"
	"os/exec"     // hit: import
	. "os/exec"   // hit: import
	_ "os/exec"   // hit: import
	run "os/exec" // hit: import
)

const text = `exec.Command("decoy")`

type A struct {
	*run.Cmd // hit:
	exec.Cmd
	name string
}

func f() {
	run.Command("a")             // hit: exec .Command
	run.CommandContext(ctx, "a") // hit: exec
	Command("a")                 // hit: exec
	yaml.Unmarshal(nil, nil)     // hit: yaml
	tool.Run()
	alias := run.Command
	alias("a")     // hit: exec
	x.Command("a") // hit: .Command
	_ = run.Command
	go func() { run.Command("b") }() // hit: exec .Command
}

func g(run T) {
	run.Command("a parameter") // hit: .Command
	{
		exec := other{}
		exec.Start()
	}
}

func (a *A) Command() { a.Command() } // hit: .Command

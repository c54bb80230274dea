// Package effect has the kinds of effects that the readers of package shell find.
package effect

// Kind is what a command or a call does.
type Kind uint8

// The kinds are those of package shell, in its order.
const (
	None Kind = iota
	Create
	Edit
	Append
	Delete
	Move
	Read
	Permission
	Send
	Run
	Lose
	Process
	Service
	Database
	Spawn
)

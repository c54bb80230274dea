// Command empty does nothing: the least that a Go program started for every
// tool call can cost.
package main

func main() {}

// Package tables reads the tables that are part of the program.
package tables

import "go.yaml.in/yaml/v3"

// Parse reads a table in YAML into a value. It panics where it is not of that form: the program's
// own tables are not input.
func Parse(name string, data []byte, into any) {
	if err := yaml.Unmarshal(data, into); err != nil {
		panic(name + ": " + err.Error())
	}
}

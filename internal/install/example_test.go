package install_test

import (
	"fmt"

	"github.com/agentsentinel/sentinel/internal/install"
)

func ExampleClaude() {
	settings := []byte("{\n  \"model\": \"opus\"\n}\n")
	with, err := install.Claude(settings, install.Hook{Strict: true})
	if err != nil {
		panic(err)
	}
	again, _ := install.Claude(with, install.Hook{Strict: true})
	without, _ := install.RemoveClaude(with)
	fmt.Println("twice is as once:", string(again) == string(with))
	fmt.Print(string(without))
	// Output:
	// twice is as once: true
	// {
	//   "model": "opus"
	// }
}

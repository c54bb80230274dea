package install_test

import (
	"fmt"

	"github.com/agentsentinel/sentinel/internal/install"
)

func ExampleSettings_Merge() {
	text := []byte("{\n  \"model\": \"opus\"\n}\n")
	with, err := claudeMerge(text, install.Hook{Strict: true})
	if err != nil {
		panic(err)
	}
	again, _ := claudeMerge(with, install.Hook{Strict: true})
	without, _ := claudeRemove(with)
	fmt.Println("twice is as once:", string(again) == string(with))
	fmt.Print(string(without))
	// Output:
	// twice is as once: true
	// {
	//   "model": "opus"
	// }
}

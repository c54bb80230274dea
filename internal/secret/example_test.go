package secret_test

import (
	"fmt"

	"github.com/agentsentinel/sentinel/internal/secret"
)

func ExampleFind() {
	// Put together here so that this file holds no whole key.
	text := "aws configure set aws_access_key_id " + "AKIA" + "3Z7QWX2MTBN5RLKD"
	for _, f := range secret.Find(text) {
		fmt.Println(f.Kind, f.Start, f.End)
	}
	fmt.Println(secret.Mask(text))
	// Output:
	// aws-access-key 36 56
	// aws configure set aws_access_key_id AKIA…[masked aws-access-key]
}

func ExampleMasker() {
	content := `const password = "` + "k8wq" + "Zt71xx" + `"`
	m := secret.NewMasker(content)
	fmt.Println(m.Mask("The file holds " + "k8wq" + "Zt71xx, a password."))
	// Output: The file holds …[masked generic-password], a password.
}

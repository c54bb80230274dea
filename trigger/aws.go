package trigger

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// awsCommand is the command line that Amazon Q's use_aws runs: aws with a service,
// an operation and parameters (use_aws.rs), so that a rule about aws in a shell
// holds for it as well.
func (c *call) awsCommand() (string, error) {
	service, _ := c.args.firstText([]string{"service_name"})
	operation, _ := c.args.firstText([]string{"operation_name"})
	if service == "" || operation == "" {
		return "", argError("no service_name or no operation_name")
	}
	words := []string{"aws", service, kebab(operation)}
	if raw, ok := c.args.obj["parameters"]; ok && string(raw) != "null" {
		var parameters map[string]json.RawMessage
		if json.Unmarshal(raw, &parameters) != nil {
			return "", argError("parameters is not an object")
		}
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			words = append(words, "--"+kebab(strings.TrimPrefix(name, "--")))
			value, isText := asString(parameters[name])
			if !isText {
				value = string(parameters[name])
			}
			if value != "" {
				words = append(words, value)
			}
		}
	}
	for _, at := range [...]struct{ flag, key string }{{"--region", "region"}, {"--profile", "profile_name"}} {
		if value, _ := c.args.firstText([]string{at.key}); value != "" {
			words = append(words, at.flag, value)
		}
	}
	return joinWords(words), nil
}

// kebab writes a name as the program aws does: DeleteBucket and delete_bucket are
// delete-bucket, DBInstance is db-instance.
func kebab(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '_' || r == ' ':
			b.WriteByte('-')
			continue
		case unicode.IsUpper(r) && i > 0:
			before := runes[i-1]
			last := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsUpper(before) && last {
				b.WriteByte('-')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

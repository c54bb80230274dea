package rule

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of a rule file, for editors. The caller may
// keep and change the slice.
func Schema() []byte { return append([]byte(nil), schema...) }

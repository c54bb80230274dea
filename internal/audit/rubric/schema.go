package rubric

import _ "embed"

//go:generate go test -run=^TestGenerated$ . -update

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of version 4, for editors. It has
// no conditions across keys: Parse is stricter.
func Schema() []byte { return append([]byte(nil), schema...) }

package gate

import (
	"encoding/binary"
	"encoding/json"
	"hash"

	"github.com/agentsentinel/sentinel"
)

// sameActions reports whether two parts look at the very same actions.
func sameActions(a, b []sentinel.Action) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

func addAction(h hash.Hash, a *sentinel.Action) {
	addText(h, "action", string(a.Trigger), a.Op.String(), a.Root, a.Target, a.Path, a.Content, a.Old, a.Server, a.MCPTool, a.DerivedFrom)
	addText(h, a.Forms...)
	switch a.Trigger {
	case sentinel.Bash:
		addText(h, a.Dir) // the same command does something else elsewhere
	case sentinel.MCP:
		addText(h, canonical(a.Args))
	}
}

// canonical is JSON in one form, whoever wrote it.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(data)
}

// addText adds texts so that "a","bc" is not "ab","c".
func addText(h hash.Hash, texts ...string) {
	var size [binary.MaxVarintLen64]byte
	h.Write(size[:binary.PutUvarint(size[:], uint64(len(texts)))])
	for _, t := range texts {
		h.Write(size[:binary.PutUvarint(size[:], uint64(len(t)))])
		var part [4096]byte // a whole file is not copied
		for len(t) > 0 {
			n := copy(part[:], t)
			h.Write(part[:n])
			t = t[n:]
		}
	}
}

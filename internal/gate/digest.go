package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"

	"github.com/agentsentinel/sentinel"
)

// sameActions reports whether two parts look at the very same actions.
func sameActions(a, b []sentinel.Action) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

func addAction(h *texts, a *sentinel.Action) {
	h.add("action", string(a.Trigger), a.Op.String(), a.Root, a.Target, a.Path, a.Content, a.Old, a.Server, a.MCPTool, a.DerivedFrom)
	h.add(a.Forms...)
	switch a.Trigger {
	case sentinel.Bash:
		h.add(a.Dir) // the same command does something else elsewhere
	case sentinel.MCP:
		h.add(canonical(a.Args))
	}
}

// canonical is JSON in one form, whatever its source.
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

// texts is a digest of texts.
type texts struct {
	hash.Hash
	part [4096]byte // a whole file is not copied at once
}

func newTexts() *texts { return &texts{Hash: sha256.New()} }

// add adds texts so that "a","bc" is not "ab","c".
func (h *texts) add(all ...string) {
	h.number(len(all))
	for _, t := range all {
		h.number(len(t))
		for len(t) > 0 {
			n := copy(h.part[:], t)
			h.Write(h.part[:n])
			t = t[n:]
		}
	}
}

func (h *texts) number(n int) { h.Write(h.part[:binary.PutUvarint(h.part[:], uint64(n))]) }

func (h *texts) String() string { return hex.EncodeToString(h.Sum(nil)) }

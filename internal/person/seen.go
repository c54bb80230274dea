package person

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Hooks run below their agent. Which process that is, is kept sealed for each session,
// so that a command for people knows agents that have no mark and no known name, and
// that ended while its terminal stayed.

const (
	seenKind = "seen 1"
	seenAge  = 7 * 24 * time.Hour
	maxSeen  = 16 // processes of one session, which may be resumed
)

// seenAgents is the content of a file.
type seenAgents struct {
	Boot   string `json:"boot"` // of the machine, since which ids and starts count
	Agents []Seen `json:"agents"`
}

// Remember keeps the agent that this hook runs below, for a session. The usual call
// finds that it is kept already. If it cannot be kept, agents are known by
// their names and marks alone.
func Remember(stateDir string, key []byte, agents agent.Registry, session string) {
	if stateDir == "" || len(key) == 0 {
		return
	}
	path := filepath.Join(stateDir, "agents", digest.Hex(session)[:32])
	seal := state.NewSealed(key, seenKind)
	old := readSeen(seal, path)
	now := ticks()
	if n := len(old.Agents); n > 0 && now-old.Agents[n-1].Last < lastStep && exists(old.Agents[n-1].PID) {
		return
	}
	found, ok := agentAbove(agents)
	boot := bootID()
	if !ok || boot == "" {
		return
	}
	if old.Boot != boot {
		old = seenAgents{Boot: boot}
	}
	found.Last = now
	old.Agents = append(slices.DeleteFunc(old.Agents, func(s Seen) bool { return s.PID == found.PID && s.Start == found.Start }), found)
	old.Agents = old.Agents[max(0, len(old.Agents)-maxSeen):]
	if data, err := json.Marshal(old); err == nil {
		seal.Write(path, data)
		state.Prune(filepath.Dir(path), seenAge, time.Now())
	}
}

// AllSeen are the agents that were kept since the machine started.
func AllSeen(stateDir string) []Seen {
	if stateDir == "" {
		return nil
	}
	key, err := state.Key(stateDir)
	if err != nil {
		return nil
	}
	dir, boot := filepath.Join(stateDir, "agents"), bootID()
	entries, _ := os.ReadDir(dir)
	var all []Seen
	for _, e := range entries {
		if s := readSeen(state.NewSealed(key, seenKind), filepath.Join(dir, e.Name())); s.Boot == boot {
			all = append(all, s.Agents...)
		}
	}
	return all
}

// readSeen reads a file; one that does not verify is empty.
func readSeen(seal state.Sealed, path string) (s seenAgents) {
	data, err := seal.Read(path)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return seenAgents{}
	}
	return s
}

// bootID names the time since the machine started.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(id)
}

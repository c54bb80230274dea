package install

import "path/filepath"

// LookAt is Look at a text, for the fuzz test.
func LookAt(agent, text string) (Registration, error) {
	a, err := agentNamed(agent)
	if err != nil {
		return Registration{}, err
	}
	file := a.files(Place{Root: filepath.FromSlash("/r")}, Repository)[0]
	r := Registration{Target: Target{Agent: agent, File: file}}
	if a.script != nil {
		r.lookAtScript([]byte(text), Hook{})
		return r, nil
	}
	return r, r.lookAtHooks(a, []byte(text), Hook{})
}

package hook

import "github.com/agentsentinel/sentinel/internal/person"

// remember keeps which agent this hook runs below, where rules are in force: a command
// that is for people refuses to run in a terminal that this agent may have made.
func (c *call) remember() {
	p := c.open()
	if len(p.Folders) == 0 {
		return
	}
	person.Remember(c.env.Project().StateDir, p.Gate().Seal.Key(), c.env.Agents, c.event.Session)
}

package person

import (
	"golang.org/x/sys/unix"

	"github.com/agentsentinel/sentinel/agent"
)

// lookup asks the kernel about a process. Of another user's it tells no arguments.
func lookup(agents agent.Registry) parents {
	return func(pid int) (process, bool) {
		k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil || int(k.Proc.P_pid) != pid {
			return process{}, false
		}
		p := process{pid: pid, parent: int(k.Eproc.Ppid), user: int(k.Eproc.Pcred.P_ruid), name: unix.ByteSliceToString(k.Proc.P_comm[:])}
		if s := k.Proc.P_starttime; s.Sec > 0 {
			p.start = uint64(s.Sec)*1e6 + uint64(s.Usec)
		}
		data, err := unix.SysctlRaw("kern.procargs2", pid)
		if err != nil {
			p.sign = agentProgram(agents, []string{p.name})
			return p, true
		}
		argv, getenv := parseProcArgs(data)
		if p.sign = agentProgram(agents, argv); p.sign == "" {
			if sign := Sign(agents, getenv); sign != "" {
				p.sign = sign + " is set"
			}
		}
		return p, true
	}
}

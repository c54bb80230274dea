package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	agents "github.com/agentsentinel/sentinel/agent"
)

// below is a folder of the repository that agents are started in.
const below = "src"

// subfolder puts an agent that is started below the repository's first folder through a
// write to a protected file, with the repository's hook alone and with the user's. The
// outcome is the one that the agent's value names, and that doctor reports in that folder.
func (a agent) subfolder(t *testing.T, write func(r *repository)) {
	t.Helper()
	known := agents.Registry{}.Find(a.hooked())
	for _, user := range []bool{false, true} {
		t.Run(fmt.Sprintf("user=%v", user), func(t *testing.T) {
			t.Parallel()
			r := a.ready(t, map[string]string{"protect-billing": protectBilling})
			r.write("src/billing/rates.ts", "export const vat = 19\n")
			r.from = below
			if user {
				res := r.sentinel("", "init", "--user", "--hooks", "--agent", a.hooked())
				require.Zero(t, res.exit, res.stderr)
			}
			said := a.doctor(r)
			write(r)

			_, written := r.read("src/billing/invoice.ts")
			loads := user || known.Settings.Reach == agents.ReachBelow
			assert.NotEqual(t, loads, written, "in which folders it loads hooks is not what its value says")
			assert.Equal(t, loads, !strings.Contains(said.stdout, "started in src, "+known.Title+" loads no hook"), said.stdout)
			if !loads {
				assert.Contains(t, said.stdout, "sentinel init --hooks --agent "+a.hooked()+" --user")
				assert.Equal(t, 1, said.exit)
			}
		})
	}
}

// doctor runs `sentinel doctor` where the agent is on the PATH.
func (a agent) doctor(r *repository) result {
	r.t.Helper()
	return r.run("", a.onPath(r), filepath.Join(r.bin, "sentinel"), "doctor")
}

func TestSubfolder(t *testing.T) {
	t.Parallel()
	for _, a := range []agent{claudeCode, codex, copilot, gemini, qwen, cline, opencode, pi} {
		t.Run(a.hooked(), func(t *testing.T) {
			a.subfolder(t, func(r *repository) {
				name := "src/billing/invoice.ts"
				if a.name == codex.name { // relative to where it is started
					name = "billing/invoice.ts"
				}
				a.work(r, calling(a.write(r, name, "export {}\n")), says("Done."))
			})
		})
	}
}

// Both registrations together judge a call once, and the model is told once.
func TestBothRegistrations(t *testing.T) {
	t.Parallel()
	for _, a := range []agent{claudeCode, codex, copilot, gemini, qwen, opencode, pi} {
		t.Run(a.hooked(), func(t *testing.T) {
			t.Parallel()
			r := a.ready(t, map[string]string{"changelog": warnAPI, "protect-billing": protectBilling})
			res := r.sentinel("", "init", "--user", "--hooks", "--agent", a.hooked())
			require.Zero(t, res.exit, res.stderr)
			for _, name := range []string{"api/v1.md", "src/billing/rates.ts"} {
				r.write(name, "old\n")
			}
			w := a.work(r, calling(a.write(r, "api/users.ts", "export {}\n")), calling(a.write(r, "src/billing/invoice.ts", "export {}\n")), says("Done."))
			w.judgedOnce()
		})
	}
}

// judgedOnce wants one judgment of each rule, and the texts once.
func (w *work) judgedOnce() {
	w.t.Helper()
	_, written := w.read("src/billing/invoice.ts")
	assert.False(w.t, written)
	results := w.model.results(2)
	assert.Contains(w.t, results[1], billingText)
	told := strings.Join(results, "\n") + w.model.notes()
	assert.Equal(w.t, 1, strings.Count(told, "Warning: "+warnText))
	assert.LessOrEqual(w.t, strings.Count(told, "api/**: "+warnText), 1, "told up front once")
	judged := map[string]int{}
	for _, rec := range w.records() {
		judged[rec.RuleID]++
	}
	assert.Equal(w.t, 1, judged["changelog"], "%v", judged)
	assert.Equal(w.t, 1, judged["protect-billing"], "%v", judged)
}

// trusted is what an agent keeps when a person trusts the repository and its hooks, with
// whatever else lets its hooks run taken out of how it is started.
var trusted = map[string]struct {
	without string // an argument, or the beginning of a variable
	file    string // below the home folder
	text    string // DIR is the repository
}{
	"copilot": {"--trust-folder", ".copilot/config.json", "// managed\n{\"trustedFolders\": [\"DIR\"]}"},
	"gemini":  {"GEMINI_CLI_TRUST_WORKSPACE=", ".gemini/trustedFolders.json", `{"DIR": "TRUST_FOLDER"}`},
}

// An agent runs its hooks exactly where doctor says "trusted", and not where it says that a
// person has to do something first.
func TestTrustIsReadAsTheAgentReadsIt(t *testing.T) {
	t.Parallel()
	for _, a := range []agent{copilot, gemini} {
		for _, trusts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", a.name, trusts), func(t *testing.T) {
				t.Parallel()
				r := a.ready(t, map[string]string{"protect-billing": protectBilling})
				r.write("src/billing/rates.ts", "export const vat = 19\n")
				how := trusted[a.name]
				if trusts {
					r.writeHome(how.file, strings.ReplaceAll(how.text, "DIR", r.dir))
				}
				said := a.doctor(r).stdout
				assert.Equal(t, trusts, strings.Contains(said, "trusted: ~/"+how.file+" trusts"), said)
				assert.Equal(t, !trusts, strings.Contains(said, "PERSON"), said)

				plain := a
				plain.start = func(r *repository, model string) (args, env []string) {
					args, env = a.start(r, model)
					is := func(text string) bool { return strings.HasPrefix(text, how.without) }
					return slices.DeleteFunc(args, is), slices.DeleteFunc(env, is)
				}
				if !trusts && a.name == gemini.name { // it ends in a folder that is not trusted
					return
				}
				plain.work(r, calling(a.write(r, "src/billing/invoice.ts", "export {}\n")), says("Done."))
				_, written := r.read("src/billing/invoice.ts")
				assert.NotEqual(t, trusts, written)
			})
		}
	}
}

// Package audit is the command "sentinel audit", which starts sentinel-audit.
package audit

import (
	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// auditCommand is the command that audits. It is one of its own, so that no hook
// pays for readers of documents and syntax trees.
const auditCommand = "sentinel-audit"

// New makes the command audit.
func New(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "audit [REPO]", Short: "Audit a repository, or documents about it, against a rubric",
		Long: `Collects facts about a repository and about documents, has three judges judge them by
a rubric, and writes a report. It starts the command sentinel-audit, from this program's
folder or the PATH, with all arguments: "sentinel audit --help" shows its help.`,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return command.Companion(env, auditCommand, args) },
	}
}

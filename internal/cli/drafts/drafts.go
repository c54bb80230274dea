// Package drafts is the commands about draft rules: drafts, promote and dismiss.
package drafts

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
)

// New makes the command drafts.
func New(env *command.Env) *cobra.Command {
	cmd := newList(env, "drafts")
	cmd.AddCommand(newList(env, "list"), newShow(env), NewPromote(env), NewDismiss(env))
	return cmd
}

// newList makes the command that lists drafts, which has two names.
func newList(env *command.Env, name string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: name, Short: "List the draft rules that wait for your review",
		Long: `Lists the rules that Sentinel proposes from sessions and documents, with the source of
each and the results of those of its cases that need no model. "sentinel drafts show ID"
prints one, "sentinel drafts promote ID" turns it into a rule, and "sentinel drafts
dismiss ID" drops it for good. "sentinel promote" and "sentinel dismiss" do the same.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, _, err := rowsOf(cmd.Context(), env)
			switch {
			case err != nil:
				return err
			case asJSON:
				return env.JSON(rows)
			case len(rows) == 0:
				env.Line("No drafts. Sessions add some over time; \"sentinel learn\" reads the documents now.")
			}
			for _, r := range rows {
				r.print(env.Stdout)
			}
			return nil
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON list", []draftRow{})
	return cmd
}

// newShow makes the command that prints a draft.
func newShow(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Print a draft rule, with where it comes from",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, drafts, err := rowsOf(cmd.Context(), env)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(drafts, func(d scribe.Draft) bool { return d.ID == args[0] })
			if i < 0 {
				return fmt.Errorf("there is no draft %q; `sentinel drafts` lists them", text.OneLine(args[0]))
			}
			rows[i].print(env.Stdout)
			fmt.Fprintf(env.Stdout, "\n%s", text.Clean(string(drafts[i].Text)))
			return nil
		},
	}
}

// rowsOf are the drafts that wait.
func rowsOf(ctx context.Context, env *command.Env) ([]draftRow, []scribe.Draft, error) {
	opts, err := project.Open([]string{env.Dir}, env.Options()).Models().Scribe(nil, "")
	if err != nil {
		return nil, nil, err
	}
	drafts, err := scribe.Drafts(opts)
	rows := []draftRow{}
	for i := range drafts {
		rows = append(rows, newDraftRow(ctx, &drafts[i], opts, env.Now()))
	}
	return rows, drafts, err
}

// draftRow is a draft as `drafts --json` prints it.
type draftRow struct {
	ID         string              `json:"id"`
	Trigger    string              `json:"trigger"`
	Severity   string              `json:"severity"`
	Scope      []string            `json:"scope"`
	Source     string              `json:"source"`
	FirstSeen  string              `json:"first_seen"` // RFC 3339; "" when the draft does not say
	AgeDays    int                 `json:"age_days"`   // -1 when the draft does not say
	Seen       int                 `json:"times_observed"`
	Statement  string              `json:"statement"`
	Evidence   string              `json:"evidence"`
	Confidence float64             `json:"confidence"`
	Session    string              `json:"session"`
	Document   string              `json:"document"`
	Model      string              `json:"model"`
	Path       string              `json:"path"`
	Cases      []scribe.CaseResult `json:"cases"`
	Problems   []string            `json:"problems"`
}

func newDraftRow(ctx context.Context, d *scribe.Draft, opts *scribe.Options, now time.Time) draftRow {
	def, from := &d.File.Definition, &d.Provenance
	row := draftRow{
		ID: d.ID, Trigger: def.Trigger, Severity: def.Severity, Scope: def.Scope, Path: d.Path,
		Source: string(from.Source), AgeDays: -1, Seen: from.Seen, Statement: from.Statement, Evidence: from.Evidence,
		Confidence: from.Confidence, Session: from.Session, Document: from.Document, Model: from.Model,
		Cases: d.Try(ctx, opts), Problems: []string{},
	}
	if row.Scope == nil {
		row.Scope = []string{}
	}
	if !from.FirstSeen.IsZero() {
		row.FirstSeen = from.FirstSeen.UTC().Format(time.RFC3339)
		row.AgeDays = max(int(now.Sub(from.FirstSeen).Hours()/24), 0)
	}
	for _, p := range d.File.Problems {
		row.Problems = append(row.Problems, place.Problem(p))
	}
	return row
}

// print writes a draft as text. All of it may come from anywhere.
func (r *draftRow) print(w io.Writer) {
	fmt.Fprintln(w, text.OneLine(fmt.Sprintf("%s: %s, %s, %s", r.ID, r.Trigger, r.Severity, strings.Join(r.Scope, " "))))
	source := r.Source
	if source == "" {
		source = "does not say where it comes from"
	}
	if r.Document != "" {
		source += " (" + r.Document + ")"
	}
	switch {
	case r.AgeDays == 0:
		source += ", from today"
	case r.AgeDays > 0:
		source += ", " + text.Count(r.AgeDays, "day") + " old"
	}
	if r.Seen > 1 {
		source += fmt.Sprintf(", observed %d times", r.Seen)
	}
	fmt.Fprintln(w, "  "+text.OneLine(source))
	if r.Evidence != "" {
		fmt.Fprintf(w, "  \"%s\"\n", text.OneLine(r.Evidence))
	}
	fmt.Fprintln(w, "  cases: "+CaseCount(r.Cases))
	for _, c := range r.Cases {
		if c.Result == scribe.CaseWrong {
			fmt.Fprintln(w, "  wrong: "+text.OneLine(c.Why))
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintln(w, "  "+p)
	}
}

// CaseCount says how a rule does on its cases.
func CaseCount(cases []scribe.CaseResult) string {
	right, wrong, model := 0, 0, 0
	for _, c := range cases {
		switch c.Result {
		case scribe.CaseRight:
			right++
		case scribe.CaseWrong:
			wrong++
		default:
			model++
		}
	}
	if len(cases) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d right, %d wrong, %d for a model to judge", right, wrong, model)
}

// dismissal is what dismiss --json prints.
type dismissal struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
}

// NewDismiss makes the command dismiss.
func NewDismiss(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "dismiss ID", Short: "Drop a draft rule for good",
		Long: `Removes a draft and remembers its convention, so that it is not proposed again, even in
other words. Other conventions about the same paths and commands still are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := project.Open([]string{env.Dir}, env.Options()).Models().Scribe(nil, "")
			if err != nil {
				return err
			}
			d, err := scribe.Dismiss(cmd.Context(), args[0], opts)
			if err != nil {
				return err
			}
			if asJSON {
				return env.JSON(dismissal{d.ID, d.Provenance.Statement})
			}
			fmt.Fprintf(env.Stdout, "dismissed: %s; it is not proposed again\n", d.ID)
			return nil
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON object", dismissal{})
	return cmd
}

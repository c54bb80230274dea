package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

const auditRubric = `rubric_metadata: {rubric_name: small, version: 4.0.0}
probes:
  - {id: readme, type: file, any: [README.md], expect: {count: {min: 1}}}
  - {id: license, type: file, any: [LICENSE], expect: {count: {min: 1}}}
dimensions:
  - {id: files, name: Files, target_artifact: repo, evidence: [readme, license], forensic_instruction: Look for both., success_pattern: both, failure_pattern: none, levels: {1: none, 5: all}}
`

// A model of random weights judges nothing, but it is asked, by "sentinel audit"
// with the person's own configuration, and the audit comes to a clean end: each
// opinion is of its form, or the report says why there is none.
func TestAuditByOllama(t *testing.T) {
	begin(t)
	url := realollama.StartLong(t)
	r := newRepository(t)
	r.writeHome(".config/sentinel/config.yaml", fmt.Sprintf(
		"backend: ollama\nmodel: %s\nbackends: {ollama: {url: %q, num_ctx: %d}}\n", realollama.LongModel, url, realollama.LongContext))
	r.writeHome("rubric.yaml", auditRubric)
	// Settings of the audited repository about judges have no effect.
	r.write(".claude/sentinel/config.yaml", "backend: command\nbackends: {command: {argv: [touch, "+r.path("ran")+"]}}\n")
	r.commit("Add a configuration")

	res := r.sentinel("", "audit", ".", "--rubric", filepath.Join(r.home, "rubric.yaml"), "--json", "--seed", "3")
	require.Zero(t, res.exit, res.stderr)
	r.writeHome("report.json", res.stdout)
	record, err := report.Read(filepath.Join(r.home, "report.json"))
	require.NoError(t, err)
	assert.Equal(t, r.git("rev-parse", "HEAD"), record.Subject.Commit)
	require.Len(t, record.Results, 1)
	require.Len(t, record.Results[0].Opinions, 3)
	for _, o := range record.Results[0].Opinions {
		assert.Equal(t, "ollama", o.Backend)
		if o.Valid(nil) {
			assert.Equal(t, realollama.LongModel, o.Model)
			assert.NotZero(t, o.OutputTokens, "nobody was asked")
		} else {
			assert.Contains(t, o.Err, "malformed", "the model has answered")
			assert.Equal(t, 3, o.Tries)
		}
	}
	assert.NotZero(t, record.Usage.Calls)
	_, ran := r.read("ran")
	assert.False(t, ran, "the audited repository has chosen its judge")
}

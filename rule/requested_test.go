package rule

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
)

// TestOpensAPullRequest: which lines publish commits or open a pull request, however they are written,
// and which only look.
func TestOpensAPullRequest(t *testing.T) {
	t.Parallel()
	r := build(t, "id: a\nalso: {changed: [\"src/**\"], with: [CHANGELOG.md], by: pull_request}\n", nil)
	for line, opens := range map[string]bool{
		"git push":                                    true,
		"git push -o merge_request.create":            true,
		"git push --push-option=merge_request.create": true,
		"git push origin HEAD:refs/for/main":          true,
		"git send-pack o main":                        true,
		"gh pr create --fill":                         true,
		"gh -R o/r pr create":                         true,
		"gh pr -R o/r create":                         true,
		"glab mr create -R o/r":                       true,
		"glab -R o/r mr create":                       true,
		"glab mr for 12":                              true,
		"hub -C . pull-request":                       true,
		"hub pull-request -m x":                       true,
		"tea pr create":                               true,
		"tea pulls c":                                 true,
		"az repos pr create":                          true,
		"az repos --org x pr create":                  true,
		"cd a && gt submit":                           true,

		"gh api repos/o/r/pulls/ -f title=x":                                                       true,
		"gh api 'repos/o/r/pulls?x=1' -F title=x":                                                  true,
		"gh api repos/o/r/pulls --field head=b":                                                    true,
		"gh api -X POST /repos/o/r/pulls --input -":                                                true,
		"gh api --method=post https://api.github.com/repos/o/r/pulls":                              true,
		"gh api -X GET -XPOST repos/o/r/pulls":                                                     true,
		"gh api graphql -f query='mutation { createPullRequest(input: {}) { clientMutationId } }'": true,
		"gh api graphql --input q.json":                                                            true,
		"gh api graphql -F query=@q.graphql":                                                       true,
		"gh api graphql -f query=\"$(cat q)\"":                                                     true,
		"glab api projects/1/merge_requests/ -f source_branch=x":                                   true,
		"curl -X POST https://api.github.com/repos/o/r/pulls":                                      true,
		"curl -sd @b https://api.github.com/repos/o/r/pulls | jq .":                                true,
		"curl --json '{}' https://api.github.com/repos/o/r/pulls/":                                 true,
		"curl -XPOST 'https://x/api/v4/projects/1/merge_requests?y'":                               true,
		"curl -d x https://api.bitbucket.org/2.0/repositories/o/r/pullrequests":                    true,
		"curl -d x https://b/rest/api/1.0/projects/P/repos/r/pull-requests":                        true,
		"curl -d '{\"query\":\"mutation{createPullRequest}\"}' https://api.github.com/graphql":     true,
		"wget --post-data=x https://api.github.com/repos/o/r/pulls":                                true,
		"wget --method=POST https://api.github.com/repos/o/r/pulls":                                true,
		"http https://api.github.com/repos/o/r/pulls title=x":                                      true,
		"xh post api.github.com/repos/o/r/pulls":                                                   true,
		"gh api repos/o/r/pulls | head; git push":                                                  true,

		"curl -d @b https://api.github.com/repos/o/r/pulls -H -X GET":                                     true, // GET is an address
		"curl -d @b https://api.github.com/repos/o/r/pulls --next -X GET https://a.b":                     true,
		"curl -d @b https://api.github.com/repos/o/r/pulls --next -G https://a.b":                         true,
		"curl -sXPOST https://api.github.com/repos/o/r/pulls":                                             true,
		"curl -sX POST https://api.github.com/repos/o/r/pulls":                                            true,
		"curl --req POST https://api.github.com/repos/o/r/pulls":                                          true,
		"curl -K c https://api.github.com/repos/o/r/pulls":                                                true,
		"curl -T b https://api.github.com/graphql":                                                        true,
		"curl -d@b https://api.github.com/graphql":                                                        true,
		"curl -d \"$Q\" -H \"Authorization: bearer $T\" https://api.github.com/graphql":                   true,
		"curl -d @- https://api.github.com/graphql <<'E'\n{\"query\":\"mutation{createPullRequest}\"}\nE": true,
		"make q | curl -d @- https://api.github.com/graphql":                                              true,
		"wget --post-file q https://api.github.com/graphql":                                               true,
		"gh api repos/o/r/pulls -f title=x -q --method=GET":                                               true, // of jq
		"gh api graphql -f \"$F\"":                                                                        true,
		"gh api graphql -f query=\"query(\\$a: ID!) { $Q }\"":                                             true,
		"http https://api.github.com/repos/o/r/pulls < b.json":                                            true,
		"cat b | xh https://api.github.com/repos/o/r/pulls":                                               true,
		"http https://api.github.com/repos/o/r/pulls \"$ITEM\"":                                           true,
		"http https://api.github.com/repos/o/r/pulls base:='\"x\"'":                                       true,
		"http https://api.github.com/graphql query:=@q.json":                                              true,
		"http https://api.github.com/graphql query:=$Q":                                                   true,
		"http https://api.github.com/graphql query=@q":                                                    true,
		"curlie https://api.github.com/repos/o/r/pulls title=x":                                           true,
		"curlie post https://api.github.com/repos/o/r/pulls":                                              true,

		"git request-pull v1 o":  false,
		"gh pr list":             false,
		"gh pr view 3":           false,
		"glab mr list":           false,
		"tea pr":                 false,
		"tea pr list":            false,
		"az repos pr list":       false,
		"hub pr list":            false,
		"hub -C . status":        false,
		"gh api repos/o/r/pulls": false,
		"gh api repos/o/r/pulls --paginate | jq '.[].title'":                                                               false,
		"gh api repos/o/r/pulls -X GET -f state=open":                                                                      false,
		"gh api repos/o/r/pulls/3/comments -f body=x":                                                                      false,
		"gh api repos/o/r/pulls/3/merge -X PUT":                                                                            false,
		"gh api graphql -f query='query { viewer { login } }'":                                                             false,
		"gh api graphql -f query='mutation { addComment }'":                                                                false,
		"curl https://api.github.com/repos/o/r/pulls":                                                                      false,
		"curl -G -d state=open https://api.github.com/repos/o/r/pulls":                                                     false,
		"curl -s 'https://api.github.com/repos/o/r/pulls?state=open' | jq .":                                               false,
		"curl -d x https://api.github.com/repos/o/r/issues":                                                                false,
		"wget https://api.github.com/repos/o/r/pulls":                                                                      false,
		"http https://api.github.com/repos/o/r/pulls":                                                                      false,
		"xh get api.github.com/repos/o/r/pulls state=open":                                                                 false,
		"echo gh api repos/o/r/pulls -f title=x":                                                                           false,
		"curl -sX GET -d state=open https://api.github.com/repos/o/r/pulls":                                                false,
		"curl -HX-A:b https://api.github.com/repos/o/r/pulls":                                                              false,
		"curlie https://api.github.com/repos/o/r/pulls":                                                                    false,
		"http -a u:p https://api.github.com/repos/o/r/pulls state==open A:b":                                               false,
		"gh api repos/o/r/issues/3/comments -f body='see https://github.com/o/r/pulls'":                                    false,
		"gh api graphql -f query='query($o: String!) { a(b: $o) }' -F o=x":                                                 false,
		"gh api graphql -F o=\"$O\" -f query='query($o: String!) { a(b: $o) }'":                                            false,
		"gh api graphql -f query='mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { a } }' -f id=\"$ID\"": false,
		"curl -H \"Authorization: bearer $T\" -d '{\"query\":\"query($o: ID){a(b: $o)}\"}' \"https://$H/graphql\"":         false,
		"gh api graphql --input - <<'E'\n{\"query\":\"query{a}\"}\nE":                                                      false,
	} {
		require.Equal(t, opens, r.Match(bash(line)).OK, line)
		ran := r.Needs().Before([]sentinel.Action{*bash(line)})
		require.Equal(t, opens, len(ran) > 0 && ran[0].Kind == facts.Ran, "what is kept of it: %s", line)
	}
	for tool, opens := range map[string]bool{"create_pull_request": true, "repo_create_pull_request": true, "create_merge_request": true, "create_pull_request_review": false, "list_pull_requests": false} {
		require.Equal(t, opens, r.Match(mcp("forge", tool)).OK, tool)
	}
}

package instructions

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// listShapes are the ways to list names, each with the number of them.
var listShapes = []string{"%s or %s", "%s and %s", "%s, %s", "%s/%s", "%s (or %s)", "%s, %s or %s", "%s, %s, or %s", "%s, %s and %s", "%s / %s / %s", "%s or %s or %s",
	"%s, %s, nor %s", "%s (slow), %s or %s", "%s (or %s), nor %s", "%s, %s, %s or %s", "%s, %s, %s, and %s", "%s, %s (see below), %s or %s"}

// furtherNames are names of the kind of another one that no form knows: none where it is one of a shape of its own.
func furtherNames(f *forms.Form, name sentence.Term) []string {
	switch end := path.Ext(name.Text); {
	case !name.Code, strings.HasPrefix(name.Text, "../"):
		return nil
	case f.Rule == "tools":
		return []string{"aaa_one_get", "bbb_two_get", "ccc_three_get"}
	case f.Rule == "pipes":
		return []string{"grep", "wc", "jq"}
	case name.Kind == sentence.Command:
		return []string{"make aaa-one", "cargo bbb-two", "docker ccc-three"}
	case name.Kind == sentence.Flag:
		return []string{"--aaa-one", "--bbb-two", "--ccc-three"}
	case name.Kind == sentence.File && strings.HasSuffix(name.Text, "/"):
		return []string{"aaa/one/", "bbb/two/", "ccc/three/"}
	case name.Kind == sentence.File:
		return []string{"aaa/one" + end, "bbb/two" + end, "ccc/three" + end}
	case name.Kind == sentence.Name && snakeName.MatchString(name.Text):
		return []string{"aaa_one_get", "bbb_two_get", "ccc_three_get"}
	case name.Kind == sentence.Name && !strings.Contains(name.Text, "*"):
		return []string{"Aaa.one", "Bbb.two", "Ccc.three"}
	}
	return nil
}

var snakeName = regexp.MustCompile(`^[a-z]+_[a-z_]+$`)

// TestLists: where the draft of a form is about a name, a list of names in the place of that name makes drafts
// about each of them, or none.
func TestLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	tried := 0
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			name, ok := onlyName(&f, c.Line)
			if !ok {
				continue
			}
			for _, shape := range listShapes {
				all := append([]string{name.Text}, furtherNames(&f, name)...)[:strings.Count(shape, "%s")]
				quoted := make([]any, 0, len(all))
				for _, n := range all {
					quoted = append(quoted, "`"+n+"`")
				}
				line := strings.Replace(c.Line, "`"+name.Text+"`", fmt.Sprintf(shape, quoted...), 1)
				made := strings.ReplaceAll(madeOf(line), `\`, "")
				tried++
				if made == "" {
					continue
				}
				for _, n := range all[1:] {
					if !strings.Contains(made, strings.TrimSuffix(n, "/")) {
						t.Errorf("%s: %s: no draft has %s", f.Name, line, n)
						break
					}
				}
			}
		}
	}
	require.Greater(t, tried, 1000)
}

// onlyName is the one name in `code` that a form forbids in a line.
func onlyName(f *forms.Form, line string) (name sentence.Term, ok bool) {
	file := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
	s := &statement.Of(&file)[0]
	for _, c := range candidates(s) {
		forms.NameActs(&c)
		hits := forms.All().Find(&c)
		for i := range hits {
			for _, slot := range []string{"deny", "path"} {
				if list := hits[i].Terms(slot); hits[i].Form.Name == f.Name && forms.Prohibits(f) && len(list) == 1 && strings.Count(line, "`"+list[0].Text+"`") == 1 && furtherNames(f, list[0]) != nil {
					return list[0], slices.ContainsFunc(Drafts(s, &survey.Project{}), func(d Draft) bool { return d.Form == f.Name })
				}
			}
		}
	}
	return name, false
}

// madeOf are the rules that an item makes, without what they quote.
func madeOf(line string) string {
	file := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + line + "\n"}
	all := statement.Of(&file)
	made := strings.Builder{}
	for i := range all {
		for _, d := range Drafts(&all[i], &survey.Project{}) {
			made.WriteString(core(d.YAML))
		}
	}
	return made.String()
}

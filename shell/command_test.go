package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHasFlag(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, flag string
		want       bool
	}{
		{"rm -rf x", "-f", true},
		{"rm -rf x", "-r", true},
		{"rm -rf x", "-R", true},
		{"rm -rf x", "--recursive", true},
		{"rm -rf x", "--force", true},
		{"rm -rf x", "-i", false},
		{"rm --recursive --force x", "-f", true},
		{"rm --rec --for x", "-r", true},
		{"rm --re x", "-r", true},
		{"rm --r x", "-r", true},
		{"git push --d x y", "--delete", true}, // git refuses it: --dry-run begins so too
		{"git push --del x y", "-d", true},
		{"git clean --f", "-f", true},
		{"git reset --ha", "--hard", true},
		{"git merge --ff x", "--ff-only", false},
		{"git push --force --no-force", "--force", false},
		{"git push -f --no-force", "-f", false},
		{"git push --no-force --force", "--force", true},
		{"git push --force --no-force-with-lease", "--force", true},
		{"git commit --no-verify --verify -m x", "-n", false},
		{"git commit -n -m x", "--no-verify", true},
		{"rm --force --no-force x", "--force", true}, // rm refuses it
		{"rm -- -f", "-f", false},
		{"git push --force", "--force", true},
		{"git push --force", "-f", true},
		{"git push -f", "--force", true},
		{"git push --forc", "--force", true},
		{"git push --force-with-lease", "--force", false},
		{"git push --force-with-lease", "-f", false},
		{"git push --force", "--force-with-lease", false},
		{"git push --force-with-lease=main", "--force-with-lease", true},
		{"git push --force-w", "--force-with-lease", true},
		{"git push --force-w", "--force", false},
		{"git push -- --force", "--force", false},
		{"git push --no-force", "--force", false},
		{"git push -qf", "--force", true},
		{"git reset --har", "--hard", true},
		{"git reset --hard", "--hard", true},
		{"git commit -nm x", "--no-verify", true},
		{"git commit -m '-n'", "--no-verify", false},
		{"git commit -mn", "-n", false}, // n is the message
		{"git commit --no-verify -m x", "-n", true},
		{"git branch -D x", "--delete", true},
		{"git branch -D x", "--force", true},
		{"git branch -d -f x", "-D", true},
		{"git branch --delete --force x", "-D", true},
		{"git branch -d x", "-D", false},
		{"git branch -Dv x", "-D", true},
		{"git clean -xdf", "--force", true},
		{"git clean -n", "--dry-run", true},
		{"chmod -R 777 x", "--recursive", true},
		{"cp -a x y", "-r", true},
		{"tar --extract -f x", "-x", true},
		{"terraform destroy -auto-approve", "-auto-approve", true},
		{"terraform destroy --auto-approve", "-auto-approve", true},
		{"terraform destroy -auto-approve=true", "--auto-approve", true},
		{"terraform plan", "-auto-approve", false},
		{"find . -delete", "-delete", true},
		{"find . -exec rm -f {} +", "-f", false},
		{"unknown -abc", "-b", true},
		{"unknown --name=x", "--name", true},
		{"unknown --nam", "--name", false}, // not known to take abbreviations
		{"rm -rf x", "f", false},
		{"rm -rf x", "", false},
		{"curl -fsSLo out url", "-o", true},
		{"docker rm -fv x", "--force", true},
		{"npm install -g x", "--global", true},
	} {
		c := &Parse(tt.text, nil).Commands[0]
		assert.Equal(t, tt.want, c.HasFlag(tt.flag), "%s: %s", tt.text, tt.flag)
	}
}

func TestHasAnyFlag(t *testing.T) {
	t.Parallel()
	c := only(t, "rm -f x")
	assert.True(t, c.HasFlag("-r", "-f"), "any of them")
	assert.False(t, c.HasFlag())
}

func TestHasFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, word string
		want       bool
	}{
		{"rm -rf x", "-rf", true},
		{"rm -fr x", "-rf", true},
		{"rm -r -f x", "-rf", true},
		{"rm --recursive --force x", "-rf", true},
		{"rm -Rf x", "-rf", true},
		{"rm -r x", "-rf", false},
		{"rm -f x -r", "-rf", true},
		{"git push --force", "--force", true},
		{"git push --force-with-lease", "--force", false},
		{"git clone --depth=1 x", "--depth=1", true},
		{"git clone --depth 1 x", "--depth=1", true},
		{"git clone --depth=2 x", "--depth=1", false},
		{"git clean -d -x --force", "-xdf", true},
		{"git branch --delete --force x", "-D", true},
		{"terraform destroy -auto-approve", "-auto-approve", true},
		{"rm -rf x", "rf", false},
		{"rm -rf x", "-", false},
	} {
		assert.Equal(t, tt.want, only(t, tt.text).HasFlags(tt.word), "%s: %s", tt.text, tt.word)
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, name, want string }{
		{"curl -o f url", "-o", "f"},
		{"curl -of url", "-o", "f"},
		{"curl -sSLo f url", "--output", "f"},
		{"curl --output=f url", "-o", "f"},
		{"curl --output f url", "-o", "f"},
		{"git commit -am 'a b'", "--message", "a b"},
		{"git commit --message='a b'", "-m", "a b"},
		{"kubectl get pods -n prod", "--namespace", "prod"},
		{"terraform plan -var-file=x", "-var-file", "x"},
		{"tar --file=a.tar -x", "-f", "a.tar"},
	} {
		got, ok := only(t, tt.text).Value(tt.name)
		assert.True(t, ok, tt.text)
		assert.Equal(t, tt.want, got, tt.text)
	}
	for _, text := range []string{"curl url", "curl -o", "curl -- -o f"} {
		_, ok := only(t, text).Value("-o")
		assert.False(t, ok, text)
	}
	got, ok := only(t, "curl -O url -o f").Value("--nope", "-o")
	assert.True(t, ok)
	assert.Equal(t, "f", got)
}

func TestOperandsWithoutValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"git commit -m 'a b' -F file x":        {"commit", "x"},
		"curl -o f -H 'A: b' -X POST url":      {"url"},
		"ssh -i key -p 22 host ls":             {"host", "ls"},
		"kubectl delete pod x -n prod":         {"delete", "pod", "x"},
		"docker run -v a:b -e X=1 --rm img ls": {"run", "img", "ls"},
		"find src -name x -type f -delete":     {"src"},
		"find . ( -name a -o -name b ) -print": {"."},
		"grep -e pat -r dir":                   {"dir"},
		"rm -- -x":                             {"-x"},
		"tail -n 5 f":                          {"f"},
		"gh pr create -t title -b body":        {"pr", "create"},
		"git push origin +main":                {"push", "origin", "+main"},
	} {
		c := Parse(quoteBrackets(text), nil).Commands[0]
		assert.Equal(t, want, c.Operands, text)
	}
}

// quoteBrackets escapes the brackets that find takes as words.
func quoteBrackets(s string) string {
	out := ""
	for _, r := range s {
		if r == '(' || r == ')' {
			out += `\`
		}
		out += string(r)
	}
	return out
}

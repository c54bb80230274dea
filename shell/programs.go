package shell

import "strings"

// hasSubcommands reports whether the first operand of a program names what it
// is to do.
func hasSubcommands(program string) bool {
	switch program {
	case "git", "docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "k", "helm", "npm", "pnpm", "yarn", "bun", "deno",
		"terraform", "tofu", "terragrunt", "pulumi", "cdk", "sls", "serverless", "sam", "aws", "gcloud", "gsutil", "bq", "az", "gh", "glab", "hub",
		"go", "cargo", "rustup", "dotnet", "mix", "gem", "bundle", "composer", "pip", "pipx", "uv", "poetry", "pdm", "pipenv", "conda", "mamba",
		"apt", "apt-get", "yum", "dnf", "brew", "snap", "flatpak", "apk", "zypper", "choco", "scoop", "winget",
		"systemctl", "launchctl", "service", "defaults", "diskutil", "zpool", "zfs", "btrfs", "cryptsetup", "ip", "nmcli", "ufw", "nft",
		"heroku", "fly", "flyctl", "vercel", "netlify", "wrangler", "firebase", "supabase", "railway", "render", "doctl", "linode-cli", "hcloud", "ibmcloud", "oci", "fastly", "stripe", "doppler", "op", "ldcli",
		"vault", "consul", "nomad", "etcdctl", "rclone", "restic", "borg", "kopia", "velero", "argocd", "flux", "istioctl", "eksctl", "kind", "k3d", "minikube", "kustomize", "skaffold",
		"svn", "hg", "jj", "fossil", "rabbitmqctl", "nats", "mc", "vagrant", "multipass", "lxc", "virsh", "prisma", "alembic", "flask", "rails", "artisan", "hasura", "dbt",
		"crictl", "ctr", "sentinel", "claude", "codex", "direnv", "mise", "asdf", "nvm", "pyenv", "rbenv", "openssl", "mdadm", "lvm", "twine", "supervisorctl", "pm2", "redis-cluster", "pacman-key", "ansible-vault", "ansible-galaxy", "sops", "chezmoi", "lerna", "nx", "turbo", "changeset", "semantic-release":
		return true
	}
	return false
}

// contextOptions returns the options before the sub-command that only say where
// or for whom a program works: those with a value, and those without.
func contextOptions(program string) (valued, bare string) {
	switch program {
	case "git":
		return " -C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source ",
			" -p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice "
	case "docker", "podman", "nerdctl":
		return " -H -c -l --host --context --config --log-level --tlscacert --tlscert --tlskey --connection --url --namespace --address ", " -D --debug --tls --tlsverify --remote "
	case "docker-compose":
		return " -f -p -H -c --file --project-name --project-directory --profile --env-file --host --context --ansi --parallel ", " --verbose "
	case "kubectl", "oc", "k":
		return " -n -s -v --namespace --context --cluster --kubeconfig --server --user --token --as --as-group --as-uid --cache-dir --certificate-authority --client-certificate --client-key --request-timeout --tls-server-name ", " --insecure-skip-tls-verify --match-server-version --warnings-as-errors "
	case "helm":
		return " -n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token --kube-as-user --registry-config --repository-cache --repository-config --burst-limit ", " --debug "
	case "npm", "pnpm", "yarn", "bun":
		return " -C -w --prefix --dir --cwd --workspace --filter -F --registry --userconfig --loglevel --cache ", " -s --silent -r --recursive --workspaces -ws --workspace-root "
	case "terraform", "tofu", "terragrunt":
		return " -chdir --terragrunt-working-dir --working-dir ", " -no-color "
	case "aws":
		return " --profile --region --output --endpoint-url --query --ca-bundle --cli-read-timeout --cli-connect-timeout --color ", " --no-cli-pager --debug --no-verify-ssl --no-paginate --no-sign-request "
	case "gcloud", "gsutil", "bq":
		return " --project --account --configuration --format --verbosity --impersonate-service-account --billing-project --project_id -o -h ", " --log-http -m "
	case "az":
		return " --subscription --output -o --query ", " --debug --verbose --only-show-errors "
	case "gh", "glab":
		return " -R --repo --hostname ", ""
	case "go":
		return " -C ", ""
	case "cargo":
		return " -C -Z --config --color --manifest-path ", " -q -v --verbose --quiet --locked --offline --frozen "
	case "systemctl":
		return " -H -M --host --machine --root ", " --user --system --no-pager --no-ask-password --global "
	case "heroku", "fly", "flyctl", "vercel", "netlify", "doctl", "wrangler", "firebase":
		return " -a -t --app --team --scope --token --access-token --context --config -c --project -P ", ""
	case "pulumi":
		return " -C --cwd --color ", " --non-interactive "
	case "hg", "svn", "jj":
		return " -R --repository --cwd --config --config-dir --username --password ", " --non-interactive "
	case "vault", "consul", "nomad":
		return " -address -namespace -token -ca-cert -region ", ""
	case "claude":
		return " --model --settings ", ""
	}
	return "", ""
}

// setAside moves the context options that stand before the sub-command from the
// arguments to c.Context, and follows those that change the folder.
func (c *Command) setAside(args []string) []string {
	valued, bare := contextOptions(c.Program)
	if valued == "" || len(args) < 2 || args[0] == "" || args[0][0] != '-' && args[0][0] != '+' {
		return args
	}
	var kept, context []string
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if c.Program == "cargo" && strings.HasPrefix(a, "+") {
			context = append(context, a)
			continue
		}
		if len(a) < 2 || a[0] != '-' {
			break
		}
		if a == "--" {
			continue
		}
		name, value, inline := strings.Cut(a, "=")
		switch {
		case inline && hasWord(valued, name):
			context = append(context, a)
			c.contextDir(name, value)
		case hasWord(valued, a) && i+1 < len(args):
			context = append(context, a, args[i+1])
			c.contextDir(a, args[i+1])
			i++
		case hasWord(bare, a):
			context = append(context, a)
		case len(a) > 2 && hasWord(valued, a[:2]) && isAny(c.Program, "git", "kubectl", "oc", "helm"):
			context = append(context, a) // -nprod
			c.contextDir(a[:2], a[2:])
		default:
			kept = append(kept, a)
		}
	}
	if i == len(args) {
		return args // no sub-command: git --version
	}
	c.Context = context
	if len(kept) == 0 {
		return args[i:]
	}
	return append(kept, args[i:]...)
}

// contextDir follows an option that makes a program work in another folder.
func (c *Command) contextDir(option, dir string) {
	switch c.Program + " " + option {
	case "git -C", "git --work-tree", "go -C", "cargo -C", "npm --prefix", "npm -C", "pnpm -C", "pnpm --dir", "yarn --cwd", "bun --cwd", "terraform -chdir", "tofu -chdir", "pulumi -C", "pulumi --cwd", "hg --cwd", "hg -R", "jj -R":
	default:
		return
	}
	if strings.ContainsAny(homePath(dir), "$*?`") {
		c.DirUnknown = true
		return
	}
	dir = joinPath(c.Dir, homePath(dir))
	if dir == "." {
		dir = ""
	}
	c.Dir = dir
	if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") {
		c.DirUnknown = false
	}
}

// language returns the language that a program interprets, by the name of the
// interpreter; "" for every other program and for shells.
func language(program string) string {
	switch program {
	case "python", "perl", "ruby", "node", "php", "lua":
		return program
	case "deno", "bun", "tsx", "ts-node":
		return "node"
	case "jruby", "irb":
		return "ruby"
	case "ipython", "uwsgi", "micropython", "jython":
		return "python"
	}
	return ""
}

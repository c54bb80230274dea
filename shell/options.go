package shell

// optionsOf returns what is known about the options of a program and its
// sub-command: which take a value, and which are the same. The tables follow
// the programs' manuals; a program that is not here has flags without values.
func optionsOf(program, sub string) options {
	switch program {
	case "git":
		return gitOptions(sub)
	case "rm":
		return options{same: "-r -R --recursive,-f --force,-i,-I,-d --dir,-v --verbose,--interactive,--one-file-system,--no-preserve-root,--preserve-root", abbrev: true}
	case "cp":
		return options{valued: " -t -S --target-directory --suffix ", same: "-r -R --recursive,-f --force,-a --archive,-n --no-clobber,-u --update,-l --link,-s --symbolic-link,-T --no-target-directory,--remove-destination,-t --target-directory", implies: "-a=-r", abbrev: true}
	case "mv":
		return options{valued: " -t -S --target-directory --suffix ", same: "-f --force,-n --no-clobber,-u --update,-T --no-target-directory,-t --target-directory", abbrev: true}
	case "ln":
		return options{valued: " -t -S --target-directory --suffix ", same: "-s --symbolic,-f --force,-n --no-dereference,-T --no-target-directory,-t --target-directory", abbrev: true}
	case "install":
		return options{valued: " -m -o -g -t -S --mode --owner --group --target-directory --suffix ", same: "-m --mode,-d --directory,-D,-t --target-directory", abbrev: true}
	case "chmod", "chown", "chgrp":
		return options{valued: " --reference --from ", same: "-R --recursive,-f --quiet --silent,-v --verbose,-c --changes,--no-preserve-root,--preserve-root,--reference", abbrev: true}
	case "mkdir":
		return options{valued: " -m --mode ", same: "-p --parents,-m --mode", abbrev: true}
	case "touch", "truncate":
		return options{valued: " -s -r -d -t --size --reference --date --time ", same: "-s --size,-r --reference,-c --no-create,-d --date", abbrev: true}
	case "shred":
		return options{valued: " -n -s --iterations --size --random-source ", same: "-u --remove,-f --force,-z --zero,-n --iterations", abbrev: true}
	case "tee":
		return options{same: "-a --append,-i --ignore-interrupts", abbrev: true}
	case "dd", "printf", "echo":
		return options{}
	case "ls":
		return options{same: "-a --all,-R --recursive,-d --directory", abbrev: true}
	case "head", "tail":
		return options{valued: " -n -c --lines --bytes --pid -s ", same: "-n --lines,-c --bytes,-f --follow", abbrev: true}
	case "grep", "egrep", "fgrep", "rg", "ag", "zgrep":
		return options{valued: " -e -f -m -A -B -C -g -t -T --regexp --file --max-count --include --exclude --exclude-dir --glob --type --context ", same: "-e --regexp,-f --file,-r -R --recursive,-i --ignore-case,-n --line-number"}
	case "sed":
		return options{valued: " -e -f -l --expression --file --line-length ", same: "-i --in-place,-e --expression,-n --quiet --silent,-f --file,-E -r --regexp-extended", abbrev: true}
	case "awk", "gawk", "mawk", "nawk":
		return options{valued: " -F -f -v -i --file --assign --field-separator --include ", same: "-f --file,-v --assign,-i --include"}
	case "perl":
		return options{valued: " -e -E -I -M ", same: "-e -E"}
	case "ruby":
		return options{valued: " -e -I -r -C ", same: ""}
	case "python":
		return options{valued: " -c -m -W -X "}
	case "node", "bun", "deno":
		return options{valued: " -e -p -r --eval --print --require --import --loader -C --conditions ", same: "-e --eval,-p --print,-r --require"}
	case "php":
		return options{valued: " -r -d -c -f -B -R -F -E -S -t ", same: "-r --run,-f --file"}
	case "lua":
		return options{valued: " -e -l "}
	case "find":
		return options{words: true, valued: " -name -iname -path -ipath -regex -iregex -type -size -mtime -atime -ctime -mmin -amin -cmin -newer -user -group -perm -maxdepth -mindepth -printf -fprintf -fprint -fls -samefile -inum -links -wholename -lname -not-name "}
	case "tar", "bsdtar":
		return options{valued: " -f -C -T -X -I --file --directory --files-from --exclude --exclude-from --use-compress-program --to-command --checkpoint-action --rsh-command --transform --strip-components --owner --group --mode -b -g ", same: "-x --extract --get,-c --create,-t --list,-f --file,-C --directory,-r --append,-u --update,-T --files-from,-O --to-stdout,-I --use-compress-program", abbrev: true}
	case "unzip", "zip", "7z":
		return options{valued: " -d -x -P -b -TT "}
	case "rsync":
		return options{valued: " -e -f -T -B -M --rsh --filter --exclude --include --exclude-from --include-from --files-from --rsync-path --temp-dir --partial-dir --backup-dir --log-file --bwlimit --port --password-file --chmod --chown --max-delete ", same: "-e --rsh,-r --recursive,-n --dry-run,-a --archive,--delete --delete-before --delete-during --delete-after --del --delete-excluded,--remove-source-files", implies: "-a=-r"}
	case "patch":
		return options{valued: " -p -i -d -o -r -F -D -B -V -z --strip --input --directory --output --reject-file --fuzz ", same: "-i --input,-p --strip,-d --directory,-o --output,-R --reverse", abbrev: true}
	case "xxd":
		return options{valued: " -c -g -l -s -o -n ", same: "-r -revert --revert"}
	case "base64":
		return options{valued: " -w -i -o --wrap --input --output ", same: "-d -D --decode", abbrev: true}
	case "sort":
		return options{valued: " -o -k -t -S -T --output --key --field-separator ", same: "-o --output", abbrev: true}
	case "read":
		return options{valued: " -a -d -i -n -N -p -t -u "}
	case "mapfile", "readarray":
		return options{valued: " -d -n -O -s -u -C -c "}
	case "kill", "pkill", "killall":
		return options{valued: " -s -u -g -P -t --signal --user "}
	case "ps", "crontab":
		return options{valued: " -u "}
	}
	return moreOptions(program, sub)
}

// moreOptions are those of programs that talk to a network or a service.
func moreOptions(program, sub string) options {
	switch program {
	case "curl":
		return options{valued: " -o -d -H -X -u -F -T -A -b -c -e -K -m -x -w -E -C -r -t -y -Y -z -D --output --data --data-binary --data-raw --data-urlencode --data-ascii --json --header --request --user --form --form-string --upload-file --user-agent --cookie --cookie-jar --referer --config --max-time --connect-timeout --proxy --write-out --cert --key --cacert --output-dir --url --retry --dump-header --resolve --range --limit-rate --unix-socket --proto --trace --trace-ascii --stderr --netrc-file --oauth2-bearer --interface --dns-servers --retry-delay --aws-sigv4 --capath ",
			same: "-o --output,-O --remote-name,-d --data --data-ascii,-H --header,-X --request,-u --user,-F --form,-T --upload-file,-L --location,-k --insecure,-s --silent,-f --fail,-K --config,-b --cookie,-c --cookie-jar,-D --dump-header,-E --cert,-x --proxy,-A --user-agent,-e --referer,-J --remote-header-name", abbrev: true}
	case "wget":
		return options{valued: " -O -o -a -P -i -e -U -t -T -Q -D -A -R -I -X -l --output-document --output-file --directory-prefix --input-file --execute --user-agent --post-data --post-file --body-data --body-file --header --method --user --password --tries --timeout --load-cookies --save-cookies --certificate --private-key --limit-rate --referer --ca-certificate ",
			same: "-O --output-document,-o --output-file,-P --directory-prefix,-q --quiet,-r --recursive,-i --input-file,-a --append-output", abbrev: true}
	case "ssh":
		return options{valued: " -i -p -l -o -F -L -R -D -W -J -b -c -e -m -O -Q -S -w -B -E -I -P "}
	case "scp", "sftp":
		return options{valued: " -i -P -o -F -J -S -c -l -D -X -B -b -R "}
	case "nc", "ncat", "netcat":
		return options{valued: " -e -c -p -s -w -i -q -x -X -P -T -O -V --exec --sh-exec --source-port --proxy ", same: "-e --exec,-c --sh-exec,-l --listen"}
	case "openssl":
		return options{words: true, valued: " -in -out -inkey -key -pass -passin -passout -k -K -iv -keyout -subj -days -config "}
	case "gpg", "gpg2":
		return options{valued: " -o -r -u --output --recipient --local-user --homedir --passphrase --passphrase-file ", same: "-d --decrypt,-o --output,-e --encrypt"}
	case "docker", "podman", "nerdctl", "docker-compose":
		return options{valued: containerValued, same: "-f --force,-v --volume --volumes,-a --all,-t --tty --tag,-i --interactive,-d --detach,-e --env,-u --user,-w --workdir,-p --publish"}
	case "kubectl", "oc", "k":
		return options{valued: " -n -f -l -o -c -k -L -p --namespace --filename --selector --output --container --context --cluster --kubeconfig --kustomize --patch --replicas --image --grace-period-seconds --timeout --type --as --field-selector -s --server --token --user --overrides ", same: "-n --namespace,-f --filename,-l --selector,-o --output,-A --all-namespaces,-k --kustomize,-p --patch,-c --container,-i --stdin,-t --tty"}
	case "helm":
		return options{valued: " -n -f --namespace --values --set --set-string --set-file --version --kube-context --kubeconfig --repo --timeout -o --output --description ", same: "-n --namespace,-f --values"}
	case "terraform", "tofu", "terragrunt":
		return options{words: true, valued: " -target -var -var-file -state -out "}
	case "gh", "glab":
		return options{valued: " -R -b -t -F -B -H -l -a -r -m -p -X -f -q -T -L -S -s -e -n -d --repo --body --title --body-file --base --head --label --assignee --reviewer --milestone --project --method --field --raw-field --jq --template --limit --search --state --notes --notes-file --target --comment --subject --description --input --header --hostname ", same: "-R --repo,-b --body,-t --title,-F --body-file,-X --method,-f --raw-field,-y --yes,-d --draft --delete-branch"}
	case "aws":
		return options{valued: " --profile --region --output --endpoint-url --query --bucket --key --instance-ids --table-name --function-name --stack-name --db-instance-identifier --policy-arn --user-name --role-name --group-name --cli-input-json --filters --exclude --include --acl --body --name --secret-id "}
	case "gcloud", "gsutil", "bq":
		return options{valued: " --project --account --configuration --zone --region --format --filter --impersonate-service-account ", same: "-q --quiet"}
	case "npm", "pnpm", "yarn", "npx", "bun":
		return options{valued: " --prefix -C --dir --cwd -w --workspace --registry --tag --otp --filter -F --loglevel --userconfig --cache ", same: "-g --global,-D --save-dev --dev,-f --force,-w --workspace,-y --yes"}
	case "pip", "pipx", "uv":
		return options{valued: " -r -c -i -t -e -d --requirement --constraint --index-url --extra-index-url --target --editable --dest --find-links -f --trusted-host --prefix --root --python --cert --proxy ", same: "-r --requirement,-i --index-url,-U --upgrade,-y --yes,-t --target,-e --editable"}
	case "make", "gmake", "just", "task", "rake":
		return options{valued: " -C -f -I -o -W -E --directory --file --makefile --justfile --working-directory -d --eval ", same: "-C --directory,-f --file --makefile,-n --just-print --dry-run --recon,-j --jobs,-B --always-make"}
	case "cargo", "go":
		return options{valued: " -C -p -F -o -run -tags -ldflags -C --package --manifest-path --features --target --target-dir --bin --example --config --color --message-format --version --git --branch --tag --rev --path --registry --token ", words: program == "go", same: "-p --package"}
	case "psql":
		return options{valued: " -c -f -d -h -p -U -v -o -L -F -P -R -T --command --file --dbname --host --port --username --set --output ", same: "-c --command,-f --file,-d --dbname,-h --host,-p --port,-U --username,-o --output", abbrev: true}
	case "mysql", "mariadb", "mysqldump", "mysqladmin":
		return options{valued: " -e -u -h -P -D -S --execute --user --host --port --database --socket --defaults-file ", same: "-e --execute,-u --user,-h --host,-p --password,-D --database", abbrev: true}
	case "sqlite3":
		return options{words: true, valued: " -cmd -separator -init "}
	case "mongo", "mongosh":
		return options{valued: " --eval --host --port -u -p --username --password --file -f ", same: "-u --username,-p --password"}
	case "redis-cli":
		return options{valued: " -h -p -a -n -u -s --user --pass -r -i "}
	case "systemctl", "journalctl", "service":
		return options{valued: " -t -p -n -M -H -o -u --type --property --lines --machine --host --output --signal -s --unit --vacuum-size --vacuum-time ", same: "-f --force,-n --lines", abbrev: true}
	case "crictl", "ctr", "lxc", "multipass", "vagrant":
		return options{valued: " -n --namespace -r --runtime-endpoint "}
	case "ansible", "ansible-playbook":
		return options{valued: " -i -m -a -u -e -l -t --inventory --module-name --args --user --extra-vars --limit --tags --vault-password-file ", same: "-C --check,-i --inventory"}
	case "tmux", "screen":
		return options{valued: " -t -s -n -c -F -S -L -f -x -y -p -e "}
	case "vim", "vi", "nvim", "ex", "view", "ed", "emacs":
		return options{valued: " -c -S -u -i -s -w --cmd --eval -l --load -f "}
	case "xargs", "sudo", "su":
		return options{}
	case "apt", "apt-get", "yum", "dnf", "brew", "pacman", "apk", "zypper":
		return options{valued: " -t -o -c -a -r --target-release --option ", same: "-y --yes --assume-yes --assumeyes --noconfirm", abbrev: program == "apt" || program == "apt-get"}
	case "rclone", "restic", "borg":
		return options{valued: " -r --repo --config --password-file --exclude --include --filter --max-age --min-age --keep-last --keep-daily --keep-weekly --keep-monthly --tag --host --path --password-command "}
	case "mkfs", "wipefs", "fdisk", "parted", "sgdisk":
		return options{valued: " -t -o --types --offset -L -b ", same: "-a --all,-f --force", abbrev: true}
	case "iptables", "ip6tables":
		return options{valued: " -A -D -I -p -s -d -i -o -j -t -m --dport --sport ", same: "-F --flush,-X --delete-chain,-P --policy"}
	}
	return options{}
}

const containerValued = " -e -v -p -w -u -h -l -m -f -c -t --env --volume --publish --workdir --user --name --network --net --hostname --label --mount --memory --cpus --entrypoint --env-file --add-host --platform --pull --restart --ipc --pid --cap-add --cap-drop --device --security-opt --gpus --ulimit --shm-size --log-driver --log-opt --file --tag --build-arg --target --filter --format --context --host --project-name --profile --project-directory --time --signal --detach-keys --index --cidfile --userns --tmpfs --link --expose --dns --runtime --isolation --volumes-from --cache-from --cache-to --output --secret --ssh --progress "

// gitOptions are the options of a git sub-command, after git's own manual.
func gitOptions(sub string) options {
	o := options{abbrev: true}
	switch sub {
	case "push":
		o.valued = " -o --push-option --repo --receive-pack --exec "
		o.same = "-f --force,-d --delete,-n --dry-run,-u --set-upstream,-q --quiet,-v --verbose,--force-with-lease,--force-if-includes,--follow-tags,--all --branches,--mirror,--tags,--no-verify,--prune,--atomic"
	case "commit":
		o.valued = " -m -F -C -c -t --message --file --reuse-message --reedit-message --template --author --date --fixup --squash --cleanup --trailer --pathspec-from-file "
		o.same = "-n --no-verify,-a --all,-m --message,-F --file,-s --signoff,-p --patch,-e --edit,-v --verbose,-q --quiet,-i --include,-o --only,-S --gpg-sign,-t --template,--amend,--no-gpg-sign,--allow-empty,--no-edit,--no-post-rewrite,--reset-author"
	case "merge", "pull", "am", "cherry-pick", "revert":
		o.valued = " -m -F -s -X -x --message --file --strategy --strategy-option --into-name --depth -p --mainline "
		o.same = "-f --force,-n --no-commit --no-stat,-m --message,-s --strategy,-X --strategy-option,-r --rebase,--no-verify,--ff-only,--no-ff,--abort,--hard"
	case "rebase":
		o.valued = " -x -s -X -C --exec --onto --strategy --strategy-option --whitespace "
		o.same = "-x --exec,-i --interactive,-f --force-rebase --no-ff,--onto,--abort,--continue,--skip,--root,--no-verify,--autostash"
	case "reset":
		o.valued = " --pathspec-from-file "
		o.same = "-q --quiet,-p --patch,-N --intent-to-add,--hard,--soft,--mixed,--merge,--keep"
	case "clean":
		o.valued = " -e --exclude "
		o.same = "-f --force,-n --dry-run,-d,-x,-X,-q --quiet,-i --interactive,-e --exclude"
	case "branch":
		o.valued = " -u --set-upstream-to --sort --points-at --format --contains --no-contains --merged --no-merged "
		o.same = "-d --delete,-f --force,-m --move,-c --copy,-r --remotes,-a --all,-l --list,-q --quiet,-v --verbose,-D,-M,-C"
		o.implies = "-D=-d-f -M=-m-f -C=-c-f"
	case "tag":
		o.valued = " -m -F -u --message --file --local-user --sort --points-at --contains --merged --format --cleanup "
		o.same = "-d --delete,-f --force,-a --annotate,-s --sign,-l --list,-m --message,-F --file"
	case "checkout", "switch":
		o.valued = " -b -B -c -C --orphan --conflict --create --force-create --pathspec-from-file "
		o.same = "-f --force --discard-changes,-q --quiet,-p --patch,-m --merge,-t --track,-d --detach,--ours,--theirs,--orphan,-c --create,-C --force-create,-b,-B"
	case "restore":
		o.valued = " -s --source --conflict --pathspec-from-file "
		o.same = "-s --source,-S --staged,-W --worktree,-p --patch,-q --quiet"
	case "stash":
		o.valued = " -m --message --pathspec-from-file "
		o.same = "-u --include-untracked,-a --all,-k --keep-index,-m --message,-p --patch,-q --quiet"
	case "rm":
		o.valued = " --pathspec-from-file "
		o.same = "-r,-f --force,-n --dry-run,-q --quiet,--cached,--ignore-unmatch"
	case "mv":
		o.same = "-f --force,-n --dry-run,-k,-v --verbose"
	case "add":
		o.valued = " --chmod --pathspec-from-file "
		o.same = "-A --all --no-ignore-removal,-f --force,-n --dry-run,-u --update,-p --patch,-i --interactive,-N --intent-to-add,-v --verbose"
	case "log", "diff", "show", "grep", "shortlog", "blame":
		o.valued = " -n -e -S -G -L -f -A -B -C --max-count --author --committer --grep --since --until --after --before --format --output --skip "
		o.same = "-n --max-count,-p --patch"
	case "fetch", "clone", "remote", "submodule", "ls-remote":
		o.valued = " -b -o -c -j -u --branch --depth --origin --config --reference --template --upload-pack --jobs --separate-git-dir --recurse-submodules-default -t -m "
		o.same = "-f --force,-p --prune,-b --branch,-u --upload-pack,-c --config,--mirror,--all,-a --append,-t --tags"
	case "config":
		o.valued = " -f --file --blob --type --default --get --get-all "
		o.same = "-f --file,-e --edit,-l --list,--global,--system,--local,--unset,--unset-all,--add,--replace-all"
	case "worktree":
		o.valued = " -b -B --reason --expire "
		o.same = "-f --force,-d --detach,-n --dry-run"
	case "apply":
		o.valued = " -p -C --directory --exclude --include --whitespace --build-fake-ancestor "
		o.same = "-R --reverse,-3 --3way,-v --verbose,--check,--stat,--numstat,--summary,--cached,--index,--reject"
	case "gc", "prune", "reflog", "repack":
		o.valued = " --expire-to "
		o.same = "-n --dry-run,-q --quiet,--prune,--aggressive,--auto,--force,--expire,--expire-unreachable,--all,--rewrite,--updateref,-a,-d"
	case "filter-branch", "filter-repo":
		o.valued = " --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --subdirectory-filter --original --setup -d --path --path-glob --path-regex --replace-text --mailmap --commit-callback --blob-callback --message-callback --refs "
		o.same = "-f --force,--prune-empty,--invert-paths"
	case "update-ref", "symbolic-ref", "replace", "notes":
		o.valued = " -m -F -C "
		o.same = "-d --delete,-f --force"
	case "bundle", "archive", "format-patch", "send-email":
		o.valued = " -o --output --output-directory --remote --format --prefix --to --cc "
		o.same = "-o --output --output-directory,-f --force"
	}
	return o
}

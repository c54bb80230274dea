package shell

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"rm --help", "git push --force --dry-run", "git push -fn", "git push --force --no-dry-run -n", "git clean -fdxn", "git clean --dry -fdx",
		"git --help push", "git push --force --help", "git commit --dry-run -m x", "git remote prune origin -n",
		"kubectl delete ns prod --dry-run=client", "kubectl delete ns prod --dry-run", "kubectl delete -n prod pod x --help", "k delete ns a -h",
		"helm uninstall x --dry-run", "terraform destroy -auto-approve -help", "tofu destroy --help", "aws s3 rm s3://b --recursive --dryrun",
		"aws ec2 terminate-instances help", "aws ec2 terminate-instances --instance-ids i-1 --dry-run", "rsync -avn --delete a/ b/",
		"ansible all -m shell -a 'rm -rf /srv' --check", "npm publish --dry-run", "npm unpublish x --help", "cargo publish -n", "yarn publish --dry-run",
		"apt-get -s remove x", "apt remove -ys x", "docker system prune -a --help", "docker compose --dry-run down", "docker-compose down --help",
		"rclone sync -n a b:", "zfs destroy -rn tank", "mkfs.ext4 -n /dev/sda1", "mkfs.xfs -N /dev/sda1", "wipefs -an /dev/sda", "sgdisk -P -Z /dev/sda",
		"psql prod -c 'drop table x' --help", "psql -?", "bash -n x.sh", "bash -nc 'rm -rf /'", "sh -n -c 'rm -rf /'", "ruby -c x.rb", "php -l x.php", "node --check x.js",
		"make -n clean", "parallel --dry-run rm ::: a b", "hg revert -n --all", "dpkg --dry-run --purge x", "python manage.py flush --help",
		"php artisan migrate:fresh --pretend", "rails db:drop --help", "brew uninstall -n x", "gh repo delete x --help", "pacman -Rp x",
		"npm help publish", "git help push", "cargo help publish", "docker help push",
	} {
		c := only(t, text)
		assert.True(t, c.Inert, text)
	}
	for _, text := range []string{
		"rm -rf src -- --help", "git push --force --dry-run --no-dry-run", "git push -f -n --no-dry", "git push --force -- -n", "git push -f origin -o -n", "git commit -n -m x",
		"git commit -m --help", "git commit -m -n", "git clean -fdx -e --dry-run", "git clean -fe -n", "git stash drop -n", "git push --unknown --dry-run -f",
		"kubectl delete ns prod --dry-run=none", "kubectl delete ns x --dry-run=client --dry-run=none", "kubectl delete pod -n -h", "kubectl delete pod --grace-period --help x", "kubectl exec p rm --help",
		"kubectl delete ns prod --dry-run=false", "helm uninstall x --dry-run=false", "helm uninstall --dry-run=none x", "npm publish --tag --dry-run", "npm publish --no-dry-run",
		"npm run deploy --help", "yarn deploy --help", "docker run -v /:/h alpine rm --help", "docker compose exec db rm --help", "docker-compose run db rm -rf / --help",
		"aws s3 rm s3://b/help", "aws s3 rm --recursive help", "aws s3 rm x --dryrun --no-dryrun", "mkfs.vfat -n /dev/sda1", "mkfs.btrfs -n 16k /dev/sda", "sgdisk -p -Z /dev/sda", "umount -f x",
		"dpkg --purge x --dry-run", "redis-cli flushall --help", "./x.sh --help", "frobnicate --dry-run", "bash -c 'rm -rf src' -n", "bash -n -i -c 'rm -rf src'", "bash -n +n -c 'rm x'",
		"bash x.sh -n", "bash x.sh --help", "php -r 'x();' -l", "sh -c x --help", "python -c 'x' --help", "node -r ./x --check y.js", "sentinel uninstall --help", "claude --help",
		"npm run help", "npm publish help", "make help", "git push help", "apt-get -s=no remove x", "terraform destroy", "aws",
	} {
		c := Parse(text, nil).Commands[0]
		assert.False(t, c.Inert, text)
	}
	if runtime.GOOS != "darwin" {
		assert.True(t, Parse("rm -rf src --help", nil).Commands[0].Inert)
		assert.False(t, Parse("POSIXLY_CORRECT=1 rm -rf src --help", nil).Commands[0].Inert)
		assert.True(t, Parse("POSIXLY_CORRECT=1 rm --help -rf src", nil).Commands[0].Inert)
	}
}

// TestInertRunsNothing shows that nothing comes of the texts and words of such a command.
func TestInertRunsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"bash -n -c 'rm -rf src'", "bash -nc 'rm -rf src'", "echo 'rm -rf src' | sh -n", "zsh -n <<< 'rm -rf src'", "parallel --dry-run rm -rf ::: src",
		"true | xargs -r rm -rf src", "printf '' | xargs -0r rm -rf src", "ruby -c -e 'system(\"rm -rf src\")'", "sudo --help rm -rf src", "xargs --help rm -rf src",
	} {
		l := Parse(text, nil)
		for _, e := range l.Effects {
			assert.NotEqual(t, EffectDelete, e.Kind, text)
		}
		for _, c := range l.Commands {
			assert.True(t, c.Program != "rm" || c.Inert, "%s: %s", text, c.Text)
		}
	}
	for _, text := range []string{
		"true | xargs rm -rf src", "echo a | xargs -r rm -rf src", "ls | xargs -r rm -rf src", "bash -in -c 'rm -rf src'", "parallel rm -rf ::: src --dry-run", "sudo rm -rf src",
	} {
		l := Parse(text, nil)
		assert.Contains(t, describe(l), "delete src", text)
	}
}

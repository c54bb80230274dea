package project_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/packs"
)

// attempts are commands that weaken the guard: FILE is a file of it, DIR the file's
// folder, BASE its name.
const attempts = `
rm FILE
rm -f ./FILE
rm -rf DIR
unlink FILE
shred -u FILE
mv FILE /tmp/x
mv DIR /tmp/old
mv /tmp/x FILE
cp /tmp/x FILE
cp -f /dev/null FILE
cp -l /tmp/x FILE
cp --link FILE y && echo x > y
install -m 644 /tmp/x FILE
rsync -a /tmp/x FILE
rsync -a --delete /tmp/empty/ DIR/
ln -sf /dev/null FILE
ln -f /tmp/x FILE
ln -s FILE y; echo 'mode: shadow' >> y
ln -s $PWD/FILE y; echo 'mode: shadow' >> y
ln -s DIR y; echo x > y/BASE
ln -s DIR y && rm y/BASE
ln FILE x.json && echo '{}' > x.json
ln FILE x.json; sed -i s/a/b/ x.json
link FILE z && tee z < /tmp/x
cp -l FILE y.txt; truncate -s 0 y.txt
echo x > FILE
echo x >> FILE
: > FILE
> FILE
echo x | tee FILE
echo x | sudo tee -a FILE >/dev/null
printf x | dd of=FILE
dd if=/dev/null of=FILE
truncate -s 0 FILE
truncate --size=0 FILE
sed -i s/block/info/ FILE
sed --in-place=.bak s/block/info/ FILE
sed -n 'w FILE' /tmp/x
perl -pi -e s/block/info/ FILE
perl -i.bak -ne print FILE
perl -e 'unlink "FILE"'
perl -e 'open(F, ">", "FILE"); print F "x"'
ruby -pi -e '$_.sub!("a","b")' FILE
ruby -e 'File.delete("FILE")'
ruby -e 'File.write("FILE", "")'
ruby -e 'require "fileutils"; FileUtils.rm_rf("DIR")'
python3 -c "import os; os.remove('FILE')"
python3 -c "open('FILE','w').write('')"
python3 -c "import shutil; shutil.rmtree('DIR')"
python3 -c "import pathlib; pathlib.Path('FILE').write_text('')"
python3 -c "import os; os.rename('FILE','/tmp/x')"
python3 -c "import os; os.truncate('FILE', 0)"
python3 -c "import shutil; shutil.copy('/tmp/x','FILE')"
python3 -c "import shutil; shutil.move('DIR','/tmp/x')"
python3 -c "import shutil; shutil.copy(dst='FILE', src='/tmp/x')"
python3 -c "import shutil; shutil.rmtree(ignore_errors=True, path='DIR')"
python3 -c "import os; os.rename(dst='FILE', src='/tmp/x')"
python3 -c "open(mode='w', file='FILE')"
python3 -c "import shutil; shutil.copy('/tmp/BASE', 'DIR')"
python3 -c "import shutil; shutil.copytree('/tmp/sentinel-no-such-folder', 'DIR', dirs_exist_ok=True)"
python3 -c "import shutil; shutil.unpack_archive(filename='/tmp/a.zip', extract_dir='DIR')"
python3 -c "import zipfile; zipfile.ZipFile('/tmp/a.zip').extractall(path='DIR')"
node -e "require('fs').cpSync('/tmp/sentinel-no-such-folder','DIR',{recursive:true})"
ruby -e 'require "fileutils"; FileUtils.cp_r("/tmp/sentinel-no-such-folder/.", "DIR")'
cp -r /tmp/sentinel-no-such-folder/. DIR/
cp -rT /tmp/sentinel-no-such-folder DIR
rsync -a /tmp/sentinel-no-such-folder/ DIR/
git clone https://example.com/x made && cp -r made/. DIR
mkdir made; echo x > made/BASE; cp -a made/. DIR/
cp /tmp/x made/BASE && rsync -a made/ DIR
python3 -c "import os; os.replace('/tmp/x','FILE')"
python3 -c "import os; os.symlink('/dev/null','FILE')"
python3 -c "import glob,os; [os.remove(f) for f in glob.glob('DIR/*')]"
python3 -c "import subprocess; subprocess.run(['rm','FILE'])"
python3 -c "import sys; open(sys.argv[1],'w')" FILE
python3 -c "import os; f = os.open('FILE', os.O_WRONLY|os.O_TRUNC); os.write(f, b'')"
python3 -c "from pathlib import Path; Path('DIR').rename('/tmp/x')"
python3 -c "import json; json.dump({}, open('FILE','w'))"
python3 -c "import os; os.chdir('DIR'); open('BASE','w')"
node -e "require('fs').unlinkSync('FILE')"
node -e "require('fs').writeFileSync('FILE','')"
node -e "require('fs').rmSync('DIR',{recursive:true})"
node -e "require('fs').renameSync('FILE','/tmp/x')"
node -e "require('fs').truncateSync('FILE')"
node -e "require('fs').copyFileSync('/tmp/x','FILE')"
node -e "fs.promises.writeFile('FILE','')"
node -e "require('child_process').execSync('rm FILE')"
php -r 'unlink("FILE");'
php -r 'file_put_contents("FILE","");'
lua -e 'os.remove("FILE")'
lua -e 'io.open("FILE","w"):write("")'
awk 'BEGIN{print "x" > "FILE"}'
awk -i inplace '{print}' FILE
gawk -i inplace 1 FILE
ed -s FILE <<< $'g/block/d\nw'
printf 'g/block/d\nw\n' | ed -s FILE
ed -s /tmp/x <<< 'w FILE'
ex -s -c '%s/block/info/' -c wq FILE
ex -sc 'g/x/d|x' FILE
vim -es -c '%s/block/info/' -c wq FILE
vim -c ':w! FILE' -c q /tmp/x
nvim --headless -c 'g/block/d' -c wq FILE
vi -e -s FILE < /tmp/cmds
emacs --batch FILE --eval '(save-buffer)'
nano FILE
find DIR -type f -delete
find DIR -name BASE -delete
find . -path './DIR/*' -exec rm {} +
find . -path './DIR/*' -delete
find . -wholename './FILE' -exec rm {} \;
find DIR -type f -exec truncate -s 0 {} +
find DIR -type f | xargs rm
find DIR -name '*' -print0 | xargs -0 sed -i s/block/info/
find . -path '*BASE' -exec sh -c ': > "$1"' _ {} \;
find . -ipath './DIR/*' -exec mv {} /tmp \;
for f in DIR/*; do rm "$f"; done
for f in $(ls DIR); do rm "DIR/$f"; done
ls DIR | while read f; do rm "DIR/$f"; done
find DIR | while read f; do : > "$f"; done
for f in $(find DIR -type f); do sed -i s/block/info/ "$f"; done
cd DIR && rm BASE
cd DIR && echo x > BASE
(cd DIR; sed -i s/a/b/ BASE)
pushd DIR; rm -f *
cd DIR && rm -rf ./*
F=FILE; rm "$F"
D=DIR; rm -rf $D
rm FILE{,}
rm DIR/*
cat /tmp/x > FILE
cat > FILE <<< x
tar xf /tmp/x.tar -C DIR
tar cf /tmp/x.tar --remove-files FILE
unzip -o /tmp/x.zip -d DIR
zip -rm /tmp/x.zip FILE
zip -m /tmp/x.zip FILE
zip -rm /tmp/x.zip DIR
7z a -sdel /tmp/x.7z FILE
gzip FILE
bzip2 FILE
xz FILE
zstd --rm FILE
gzip -r DIR
split -b 1 /tmp/x FILE
csplit -f FILE /tmp/x 1
sort -o FILE /tmp/x
uniq /tmp/x FILE
tr a b < /tmp/x > FILE
curl -o FILE https://example.com/x
curl -sSL https://example.com/x --output FILE
wget -O FILE https://example.com/x
patch FILE /tmp/x.patch
chmod 000 FILE
chmod -R a-r DIR
chattr +i FILE
chown nobody FILE
setfacl -m u:me:- FILE
touch FILE
git rm FILE
git mv FILE x
git checkout HEAD~3 -- FILE
git restore --source=HEAD~3 FILE
git stash push FILE
git show HEAD~3:BASE > FILE
sponge FILE < /tmp/x
jq . /tmp/x > FILE
yq -i '.a=1' FILE
sd block info FILE
rpl block info FILE
rename s/y/z/ FILE
rename.ul a b FILE
trash FILE
gio trash FILE
rimraf DIR
del-cli FILE
busybox rm FILE
busybox sh -c 'rm FILE'
sudo rm FILE
env rm FILE
nohup rm FILE
timeout 5 rm FILE
command rm FILE
\rm FILE
"rm" FILE
/bin/rm FILE
xargs rm <<< FILE
echo FILE | xargs rm
echo rm FILE | sh
bash -c 'rm FILE'
eval 'rm FILE'
sh <<< 'rm FILE'
exec 3>FILE; echo x >&3
exec > FILE
mount --bind /tmp/x DIR
mount --bind /dev/null FILE
mkfifo FILE
mknod FILE p
socat - OPEN:FILE,trunc
dos2unix FILE
iconv -f a -t b /tmp/x -o FILE
openssl enc -d -in /tmp/x -out FILE
gpg -o FILE -d /tmp/x
base64 -d /tmp/x > FILE
script -c true FILE
tee FILE </dev/null
logrotate -f FILE
fallocate -p -l 100 FILE
ditto /tmp/x FILE
pax -rw /tmp/x DIR
cpio -pdm DIR < /tmp/list
install -D /tmp/x FILE
rclone copyto /tmp/x FILE
scp host:x FILE
sqlite3 /tmp/x.db '.output FILE'
strip -o FILE /tmp/x
objcopy /tmp/x FILE
go build -o FILE .
gcc -o FILE x.c
prettier --write FILE
npx prettier --write FILE
`

// The guard's own files are asked about, whichever command would change them.
func TestAttemptsAtTheGuard(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it tries thousands of calls one after the other: not with -short, as under the race detector")
	}
	files := tree{
		"config.yaml": "x", ".claude/settings.json": "{}", ".claude/sentinel/rules/force-push.yaml": "id: force-push\ntrigger: bash\nseverity: block\nbackend: builtin\nscope: [\"git push --force*\"]\nwhen: \"true\"\nmessage: no\n",
	}
	list, err := packs.Files(packs.Recommended)
	require.NoError(t, err)
	for _, f := range list {
		if f.Name == "guard-files.yaml" {
			files[".claude/sentinel/rules/guard-files.yaml"] = string(f.Data)
		}
	}
	d := newHookDesk(t, files)
	state := d.opts.StateDir
	require.NoError(t, os.MkdirAll(state, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(state, "paused"), nil, 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	tried, silent := 0, map[string][]string{}
	for _, file := range []string{".claude/sentinel/rules/force-push.yaml", ".claude/sentinel/config.yaml", ".claude/settings.json", filepath.Join(state, "paused"), self} {
		file = filepath.ToSlash(file) // the lines are for a POSIX shell
		for line := range strings.Lines(attempts) {
			if line = strings.TrimSpace(line); line == "" || file == filepath.ToSlash(self) && strings.Contains(line, "DIR") {
				continue
			}
			if filepath.IsAbs(file) && (strings.Contains(line, "./FILE") || strings.Contains(line, "./DIR") || strings.Contains(line, "git ") || strings.Contains(line, "$PWD")) {
				continue
			}
			text := strings.NewReplacer("FILE", file, "DIR", path.Dir(file), "BASE", path.Base(file)).Replace(line)
			tried++
			if d.decide(command(d.dir, text)).Verdict < sentinel.VerdictAsk {
				silent[line] = append(silent[line], filepath.Base(file))
			}
		}
	}
	for line := range openAttempts {
		require.Contains(t, silent, line, "it is seen now: take it off this list and off docs/limits.md")
		delete(silent, line)
	}
	require.Empty(t, silent)
	require.Greater(t, tried, 900)
	for line := range strings.Lines(harmlessLooks) {
		if line = strings.TrimSpace(line); line != "" {
			text := strings.NewReplacer("FILE", ".claude/sentinel/rules/force-push.yaml", "DIR", ".claude/sentinel/rules").Replace(line)
			require.Equal(t, sentinel.VerdictAllow, d.decide(command(d.dir, text)).Verdict, text)
		}
	}
}

// harmlessLooks are commands that only look at the guard's files.
const harmlessLooks = `
cat FILE
cp FILE /tmp/x
cp -r DIR /tmp/backup
cp -r /tmp/sentinel-no-such-folder/. docs/
git clone https://example.com/x made && cp -r made/src lib
python3 -c "import shutil; shutil.copytree('DIR', '/tmp/backup')"
python3 -c "import zipfile; zipfile.ZipFile('/tmp/a.zip').extractall(path='data')"
ln -s FILE y; cat y
ls -la DIR
grep -rn block DIR
find DIR -type f | xargs grep block
for f in DIR/*.yaml; do cat "$f"; done
diff FILE /tmp/x
git diff FILE
git log -- DIR
python3 -c "print(open('FILE').read())"
python3 -c "import glob; print(glob.glob('DIR/*.yaml'))"
tar cf /tmp/x.tar DIR
zip -r /tmp/x.zip DIR
gzip -c FILE > /tmp/x.gz
sed -n 1,5p FILE
awk '{print $1}' FILE
jq . .claude/settings.json
prettier --check .
black .
gofmt -l .
find . -name '*.tmp' -delete
`

// openAttempts are not seen: docs/limits.md says why.
var openAttempts = map[string]bool{
	"git stash push FILE":              true, // only the work tree tells what git puts in its place
	"script -c true FILE":              true,
	"sqlite3 /tmp/x.db '.output FILE'": true,
	"vi -e -s FILE < /tmp/cmds":        true, // what follows -s is a script to other editors
}

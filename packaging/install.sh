#!/bin/sh
# Installs Sentinel's programs from a release, after their digests are checked.
#
# usage: install.sh [--version 1.2.3] [--dir FOLDER] [--from URL|FOLDER]
#
#   --version   the release; the newest unless given
#   --dir       where the programs go; ~/.local/bin unless given
#   --from      where the archive and checksums.txt are, for a mirror; needs --version
#
# Nothing is changed until everything is verified. Each program is then put in its place in
# one step, so that a hook that starts meanwhile finds the old one or the new one.
set -eu

{ # a shell reads all of this before it runs any: a script that was loaded in part does nothing
releases=https://github.com/agentsentinel/sentinel/releases
version='' dir='' from=''

fail() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}

while [ $# -gt 0 ]; do
	case $1 in
	--version | --dir | --from)
		[ $# -gt 1 ] || fail "$1 needs a value"
		case $1 in
		--version) version=${2#v} ;;
		--dir) dir=$2 ;;
		--from) from=$2 ;;
		esac
		shift 2
		;;
	*) fail "unknown option $1; there are --version, --dir and --from" ;;
	esac
done
if [ -z "$dir" ]; then
	[ -n "${HOME:-}" ] || fail 'HOME is not set; name a folder with --dir'
	dir=$HOME/.local/bin
fi

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no release for $(uname -s); on Windows use install.ps1" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no release for $(uname -m); use: go install github.com/agentsentinel/sentinel/cmd/...@latest" ;;
esac

# Only a mirror on this machine may be asked without TLS.
get() { # URL|FOLDER NAME TO
	case $1 in
	https://*) protocol='=https' ;;
	http://127.0.0.1[:/]* | http://localhost[:/]* | "http://[::1]"*) protocol='=http' ;;
	http://*) fail "$1: a mirror needs https" ;;
	*)
		cp "$1/$2" "$3" || fail "$1 has no $2"
		return
		;;
	esac
	if command -v curl >/dev/null 2>&1; then
		curl --fail --silent --show-error --location --proto "$protocol" --max-time 300 --output "$3" "$1/$2" || fail "$1/$2 cannot be loaded"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -T 60 -O "$3" "$1/$2" || fail "$1/$2 cannot be loaded"
	else
		fail 'curl or wget is needed'
	fi
}

digest() { # FILE
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum <"$1"
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 <"$1"
	else
		fail 'sha256sum or shasum is needed'
	fi | cut -d ' ' -f 1
}

work=$(mktemp -d) || fail 'no temporary folder can be made'
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if [ -z "$version" ]; then
	[ -z "$from" ] || fail '--from needs --version'
	command -v curl >/dev/null 2>&1 || fail 'name the release with --version: the newest can be found with curl alone'
	newest=$(curl --fail --silent --show-error --location --proto '=https' --max-time 60 --output /dev/null --write-out '%{url_effective}' "$releases/latest") ||
		fail 'the newest release cannot be found; name one with --version'
	version=${newest##*/v}
fi
case $version in
*[!0-9A-Za-z.-]* | '' | [!0-9]*) fail "\"$version\" is no version: it is like 1.2.3" ;;
esac
[ -n "$from" ] || from=$releases/download/v$version

archive=sentinel_${version}_${os}_${arch}.tar.gz
get "$from" checksums.txt "$work/checksums.txt"
get "$from" "$archive" "$work/$archive"
wanted=$(while read -r sum name; do [ "${name#\*}" != "$archive" ] || echo "$sum"; done <"$work/checksums.txt")
[ -n "$wanted" ] || fail "checksums.txt has no line for $archive; nothing was installed"
found=$(digest "$work/$archive")
[ "$found" = "$wanted" ] || fail "$archive has the digest $found, and checksums.txt says $wanted; nothing was installed"

# The digests are signed by the release workflow. cosign is asked where there is one.
if command -v cosign >/dev/null 2>&1; then
	get "$from" checksums.txt.sigstore.json "$work/checksums.txt.sigstore.json"
	cosign verify-blob --bundle "$work/checksums.txt.sigstore.json" \
		--certificate-identity "https://github.com/agentsentinel/sentinel/.github/workflows/release.yml@refs/tags/v$version" \
		--certificate-oidc-issuer https://token.actions.githubusercontent.com "$work/checksums.txt" >/dev/null ||
		fail 'the signature of checksums.txt cannot be verified (cosign 3 is needed); nothing was installed'
else
	echo "The digest is right. The signature was not checked, because cosign is not installed."
fi

mkdir "$work/x"
tar -xzf "$work/$archive" -C "$work/x" sentinel sentinel-audit sentinel-watch || fail "$archive cannot be unpacked"
"$work/x/sentinel" version >/dev/null || fail 'the program does not start on this machine; nothing was installed'
mkdir -p "$dir" || fail "$dir cannot be made"
for program in sentinel-audit sentinel-watch sentinel; do
	new=$dir/.$program.$$
	if ! { cp "$work/x/$program" "$new" && chmod 755 "$new" && mv -f "$new" "$dir/$program"; }; then
		rm -f "$new"
		fail "$dir cannot be written; name another folder with --dir"
	fi
done

echo "Sentinel $version is in $dir."
first=$(command -v sentinel || true)
if [ -z "$first" ]; then
	echo "$dir is not on your PATH. Add it, or call $dir/sentinel: the hook gets the full path then."
elif [ "$first" != "$dir/sentinel" ]; then
	echo "Note: \"sentinel\" on your PATH is $first. Remove it, or put $dir before it; \"sentinel doctor\" says which one a hook calls."
fi
echo 'Next: run "sentinel init" in a repository.'
exit
}

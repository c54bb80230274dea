#!/usr/bin/env bash
# Times the hook as a whole process, as an agent pays for it with every tool
# call, beside a Go program that does nothing. Prints a Markdown table: medians,
# the difference to the empty program within each round, and the ratio.
#
# The rules that do not match name programs, paths and servers that the call does
# not have, as rules do: they are looked for on disk, and not decoded.
#
# usage: bench/hook.sh [ROUNDS]     200 unless given; needs Go alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-200}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
# Without cgo, as a release is built: with it, each start loads the C library.
CGO_ENABLED=0 go build -o "$scratch/bin" ./cmd/sentinel ./bench/empty ./bench/timer ./bench/genrules

# Neither the user's rules nor the user's caches take part.
export HOME=$scratch/home XDG_CACHE_HOME=$scratch/home/cache XDG_CONFIG_HOME=$scratch/home/config XDG_STATE_HOME=$scratch/home/state
mkdir -p "$HOME"
unset CLAUDE_PROJECT_DIR SENTINEL_CONFIG_DIR

repository() { # NAME [genrules' flags]: prints its folder
  local dir=$scratch/$1
  mkdir -p "$dir/.git"
  [ $# = 1 ] || "$scratch/bin/genrules" -dir "$dir" "${@:2}"
  printf '{"session_id":"bench","transcript_path":"","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status --short","description":"Show the state"},"tool_use_id":"toolu_1"}' \
    "$dir" >"$dir/payload.json"
}
repository none
repository rules24 -n 24
repository rules1000 -n 1000
repository match -n 24 -match

# A file that was changed within the last two seconds is never taken from the
# cache, so the rules have to age before what is usual can be measured.
sleep 3

hook() { # NAME EXIT LABEL
  printf '%s=%s,%s,%s,%s,hook,--agent,claude' "$3" "$2" "$scratch/$1" "$scratch/$1/payload.json" "$scratch/bin/sentinel"
}
echo "$(go version), $(uname -sm), $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?') processors"
echo
"$scratch/bin/timer" -n "$rounds" \
  "empty program=0,$scratch,$scratch/none/payload.json,$scratch/bin/empty" \
  "$(hook none 0 'no rules folder')" \
  "$(hook rules24 0 '24 rules, no match')" \
  "$(hook rules1000 0 '1000 rules, no match')" \
  "$(hook match 2 '24 rules and one that blocks by when')"

#!/usr/bin/env bash
# Times judging: what Sentinel adds to a model's own time, what a kept judgement
# and a clean verdict cost, whether the deadline holds, and the lock on the GPU.
# Every figure stands beside one of the same run. Prints Markdown.
#
# usage: bench/judge.sh [ROUNDS]     100 unless given; needs Go alone
#
# With a real Ollama server in ../shared/ollama it also makes 1,000 calls there,
# a third of which are given up at random moments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-100}

scratch=$(mktemp -d)
servers=()
# A server ends when the pipe to it does.
trap 'for fd in ${servers[@]+"${servers[@]}"}; do eval "exec $fd>&-"; done; wait; rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
# Without cgo, as a release is built: with it, each start loads the C library.
CGO_ENABLED=0 go build -o "$scratch/bin" ./cmd/sentinel ./bench/empty ./bench/timer ./bench/post ./bench/modelserver

# Neither the user's rules nor the user's caches take part; Go's do.
export GOCACHE GOMODCACHE GOPATH
GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE) GOPATH=$(go env GOPATH)
export HOME=$scratch/home XDG_CACHE_HOME=$scratch/home/cache XDG_CONFIG_HOME=$scratch/home/config XDG_STATE_HOME=$scratch/home/state
mkdir -p "$HOME"
unset CLAUDE_PROJECT_DIR SENTINEL_CONFIG_DIR

serve() { # NAME TOKEN: starts a model server and sets url
  mkfifo "$scratch/$1.in" "$scratch/$1.out"
  "$scratch/bin/modelserver" -token "$2" -save "$scratch/$1.body" <"$scratch/$1.in" >"$scratch/$1.out" &
  local fd
  exec {fd}>"$scratch/$1.in"
  servers+=("$fd")
  read -r url <"$scratch/$1.out"
}
repository() { # NAME URL RULES [LINE OF CONFIGURATION...]
  local dir=$scratch/$1 i
  mkdir -p "$dir/.git" "$dir/.claude/sentinel/rules"
  printf '%s\n' "backends: {ollama: {url: \"$2\"}}" "${@:4}" >"$dir/.claude/sentinel/config.yaml"
  for ((i = 0; i < $3; i++)); do
    printf '%s\n' "trigger: file_write" "severity: block" "scope: [\"src/**\"]" "prompt: |" \
      "  FILE: {{file_path}}" "  CONTENT: {{content_snippet}}" "  RULE $i: Nothing outside of src/billing holds payment logic." \
      >"$dir/.claude/sentinel/rules/rule-$i.yaml"
  done
  printf '{"session_id":"bench","transcript_path":"","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"%s/src/app/main.go","content":"package main\\n\\nfunc main() { println(1) }\\n"},"tool_use_id":"toolu_CALL"}' \
    "$dir" "$dir" >"$dir/payload.json"
}
hook() { # NAME EXIT LABEL [FLAG...]
  local flags
  flags=$(printf ',%s' hook --agent claude "${@:4}")
  printf '%s=%s,%s,%s,%s%s' "$3" "$2" "$scratch/$1" "$scratch/$1/payload.json" "$scratch/bin/sentinel" "$flags"
}
once() { # NAME: judges the event of a repository
  (cd "$scratch/$1" && sed "s/toolu_CALL/toolu_$RANDOM/" payload.json | "$scratch/bin/sentinel" hook --agent claude >/dev/null)
}
command_line() { printf '\n    %s\n\n' "$*"; }

echo "$(go version), $(uname -sm), $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?') processors, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo '?')"

serve quick 0s
quick=$url
repository judged "$quick" 1 'cache: {enabled: false}'
repository cached "$quick" 1
serve fixed 10ms
fixed=$url
serve slow 100ms
repository open "$url" 8 'cache: {enabled: false}' 'max_parallel: 8' 'breaker: {failures: 1000}'
repository strict "$url" 8 'cache: {enabled: false}' 'max_parallel: 8' 'breaker: {failures: 1000}' 'fail_open: false'

# A file that was changed within the last two seconds is never taken from the
# cache, so the rules have to age before what is usual can be measured.
sleep 3
once judged
once cached
once cached

echo
echo "## Around the model's own time, and kept judgements"
echo
echo "The model takes no time here. post sends the bytes that Sentinel sends, and reads the answer."
echo
"$scratch/bin/timer" -vary toolu_CALL -n "$rounds" \
  "empty program=0,$scratch,/dev/null,$scratch/bin/empty" \
  "post=0,$scratch,$scratch/quick.body,$scratch/bin/post,$quick/api/chat" \
  "$(hook judged 0 'hook, judged')" \
  "$(hook cached 0 'hook, judged before')"
command_line "go test -run '^\$' -bench Judged ./project"
go test -run '^$' -bench Judged ./project | grep -E '^Benchmark'

echo
echo "## A clean verdict"
echo
echo "10 ms a token. Both requests ask the same rule about the same file."
echo
cp "$scratch/quick.body" "$scratch/sentinel.body"
"$scratch/bin/timer" -vary toolu_CALL -n $((rounds / 5 + 1)) -warmup 1 \
  "format json, num_predict 300, with a reason=0,$scratch,$PWD/bench/modelserver/testdata/reference.json,$scratch/bin/post,$fixed/api/chat" \
  "Sentinel's=0,$scratch,$scratch/sentinel.body,$scratch/bin/post,$fixed/api/chat"

echo
echo "## Eight rules, one slow slot"
echo
echo "0.9 s for each rule, one at a time, 3 s for all."
echo
"$scratch/bin/timer" -vary toolu_CALL -n 5 -warmup 0 \
  "$(hook open 0 'fail_open: true' --deadline 3s)" \
  "$(hook strict 2 'fail_open: false' --deadline 3s)"

echo
echo "## Faulty answers"
command_line "go test -count=1 -run TestFaultyAnswers -v ."
go test -count=1 -run TestFaultyAnswers -v . | grep -E '^(---|ok|FAIL)'

echo
echo "## The lock on the GPU"
command_line "go test -run '^\$' -bench 'HandOver|Preemption|Free' -benchtime 300x ./gpulock"
go test -run '^$' -bench 'HandOver|Preemption|Free' -benchtime 300x ./gpulock | grep -E '^Benchmark'

echo
echo "## 1,000 calls of a real Ollama server, a third given up"
command_line "SENTINEL_OLLAMA_CALLS=1000 go test -count=1 -run TestRealManyCalls -v ./backend/ollama"
SENTINEL_OLLAMA_CALLS=1000 go test -count=1 -run TestRealManyCalls -v ./backend/ollama | grep -E 'calls:|SKIP|no real|^(---|ok|FAIL)'

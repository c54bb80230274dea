#!/usr/bin/env bash
# The steps of /action.yml. What a pull request decides (names of branches and files, texts)
# comes by variables and files alone and is no part of any command.
#
# usage: action.sh install | judge | comment
set -euo pipefail

out=$RUNNER_TEMP/sentinel # what the steps leave for each other and for the workflow
mkdir -p "$out"

fail() {
  echo "::error title=Sentinel::$*" >&2
  exit 1
}

# show prints a text in which a line cannot be a command to the runner.
show() { # FILE
  local word
  word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$word"
  cat "$1"
  echo "::$word::"
}

# quoted makes a text a block of code, which no line of it can end. Hosts limit a comment to 65,536 characters.
quoted() { # FILE
  head -c 60000 "$1" | sed 's/^/    /'
  [ "$(wc -c <"$1")" -le 60000 ] || printf '\n\nThe rest is in the log.\n'
}

step_install() {
  local bin=$out/bin
  if [ -n "$VERSION" ]; then
    sh "$GITHUB_ACTION_PATH/packaging/install.sh" --version "$VERSION" --dir "$bin"
  else # the source of the action itself, which the workflow names by a commit
    (cd "$GITHUB_ACTION_PATH" && CGO_ENABLED=0 GOWORK=off GOFLAGS=-trimpath GOBIN=$bin go install ./cmd/sentinel ./cmd/sentinel-audit)
  fi
  echo "$bin" >>"$GITHUB_PATH"
}

commit_of() { # REVISION
  git rev-parse --quiet --verify --end-of-options "$1^{commit}" || fail "this checkout has no commit $1: give actions/checkout \"fetch-depth: 0\""
}

# judged_in is the folder whose rules judge the change: a clone at the base, so that a pull
# request is not judged by rules that it brings along. In a working tree beside this checkout
# this one's rules would hold, too.
judged_in() { # BASE
  [ "$RULES" = base ] || { pwd; return; }
  rm -rf "$out/base" &&
    git clone --quiet --shared --no-checkout --template= . "$out/base" &&
    GIT_LFS_SKIP_SMUDGE=1 git -C "$out/base" checkout --quiet --detach "$1" &&
    echo "$out/base"
}

run_check() {
  local from to dir
  from=$(commit_of "$BASE")
  to=$(commit_of "$HEAD")
  git merge-base "$from" "$to" >/dev/null || fail 'base and head have no commit in common here: give actions/checkout "fetch-depth: 0"'
  dir=$(judged_in "$from")
  local args=(--diff "$from...$to" "--sarif=$out/sentinel.sarif")
  [ "$FAIL_ON" = never ] || args+=("--fail-on=$FAIL_ON")
  [ "$MODEL" = true ] || args+=(--no-model)
  cd "$dir" && sentinel check "${args[@]}"
}

run_test() { sentinel rules lint && sentinel test --junit "$out/sentinel.xml"; }

run_coverage() { sentinel coverage; }

run_audit() {
  local from
  from=$(commit_of "$BASE")
  sentinel audit . --diff "$from" --format json,sarif --out "$out/audit"
}

# What an exit status means: docs/how-to.md.
outcome() { # WHAT STATUS
  case $1:$2 in
  *:0 | test:3) echo passed ;;
  check:2) if [ "$FAIL_ON" = never ]; then echo passed; else echo "found something"; fi ;;
  audit:2) echo "found something" ;;
  *) echo "failed" ;;
  esac
}

step_judge() {
  local what status came bad=0
  case $RULES:$MODEL:$FAIL_ON in
  base:true:* | base:false:* | head:true:* | head:false:*) ;;
  *) fail "rules is base or head, and model is true or false" ;;
  esac
  rm -f "$out/report" "$out/sentinel.sarif"
  read -ra words <<<"${RUN//,/ }"
  [ ${#words[@]} -gt 0 ] || fail "run names nothing: check, test, coverage or audit"
  for what in "${words[@]}"; do
    case $what in check | test | coverage | audit) ;; *) fail "run is of check, test, coverage and audit" ;; esac
    set +e # only for this status: with "||" the function itself would go on after an error
    (set -e; "run_$what") >"$out/$what.txt" 2>&1
    status=$?
    set -e
    came=$(outcome "$what" $status)
    echo "sentinel $what: $came (exit status $status)"
    show "$out/$what.txt"
    { printf '### sentinel %s: %s\n\n' "$what" "$came"; quoted "$out/$what.txt"; printf '\n'; } >>"$out/report"
    [ "$came" = passed ] || bad=1
  done
  cat "$out/report" >>"$GITHUB_STEP_SUMMARY"
  [ ! -s "$out/sentinel.sarif" ] || echo "sarif=$out/sentinel.sarif" >>"$GITHUB_OUTPUT"
  echo "files=$out" >>"$GITHUB_OUTPUT"
  [ $bad = 0 ] || { echo "::error title=Sentinel::see the summary of this run"; exit 1; }
}

# A comment is written once and then changed. The token of a pull request from a fork may not
# write one; the summary has the same text.
step_comment() {
  [ -s "$out/report" ] && [ -n "$NUMBER" ] || return 0
  case $NUMBER in *[!0-9]*) fail "the number of the pull request is no number" ;; esac
  local mark='<!-- sentinel -->' comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" id
  { printf '%s\n' "$mark"; head -c 62000 "$out/report"; } >"$out/comment"
  if id=$(gh api --paginate "$comments" --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" 2>"$out/gh") &&
    { if [ -n "$id" ]; then
      gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${id%%$'\n'*}" -F "body=@$out/comment"
    else
      gh api --method POST "$comments" -F "body=@$out/comment"
    fi >/dev/null 2>"$out/gh"; }; then
    return
  fi
  show "$out/gh"
  echo "::warning title=Sentinel::no comment could be written: the token needs pull-requests: write, which pull requests from forks do not get. The summary of this run has the same text."
}

case ${1:-} in
install | judge | comment) "step_$1" ;;
*) fail "usage: action.sh install | judge | comment" ;;
esac

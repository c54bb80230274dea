#!/usr/bin/env bash
# How long the facts of a repository take, beside the bare git commands that they
# need and the parsing that they need. Makes a repository of 10,000 commits and
# 5,000 files (4 KB on average) below a temporary folder, unless one is named.
#
# usage: bench/audit.sh [REPOSITORY]
#        COMMITS=10000 FILES=5000 ROUNDS=3 RUBRIC=go bench/audit.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/audit" ./bench/audit

repository=${1:-}
if [ -z "$repository" ]; then
  repository=$work/repository
  git init --quiet --bare --initial-branch=main "$repository"
  "$work/audit" generate "${COMMITS:-10000}" "${FILES:-5000}" | git --git-dir="$repository" fast-import --quiet
  git --git-dir="$repository" repack -adq
fi
GOMAXPROCS=2 "$work/audit" measure "$repository" "${ROUNDS:-3}" "${RUBRIC:-go}"

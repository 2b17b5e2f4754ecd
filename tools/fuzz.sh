#!/usr/bin/env bash
# Fuzzes every target of the repository, each for an equal part of some seconds: fuzz.sh SECONDS [TARGETS]. With a number
# of TARGETS only so many run, which the commit picks. An input that fails is in the testdata of its package.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/goflags.sh
# Folder and name of each target.
all=$(git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' |
	sed -E 's#(.*)/[^/]*:func (.*)#\1 \2#' | LC_ALL=C sort)
count=$(wc -l <<<"$all")
if [ -n "${2:-}" ]; then
	first=$(($(git rev-parse --short=6 HEAD | tr a-f 0-5) % count))
	all=$(printf '%s\n%s\n' "$all" "$all" | tail -n +$((first + 1)) | head -n "$2")
	count=$2
fi
failed=0
while read -r folder name; do
	echo "== $folder $name"
	(cd "$folder" && go test -vet=off -run '^$' -fuzz "^$name\$" -fuzztime "$(($1 / count))s" .) || failed=1
done <<<"$all"
exit $failed

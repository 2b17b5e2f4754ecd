#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# gobuild.sh WHAT FOLDER PACKAGE OUT [LDFLAGS]: builds a program, and says while it builds how many packages are left and how long they take.
# WHAT is a line for the person who waits. Builds of the same program at the same time wait for each other where flock(1) exists; they never
# leave half a file, as the result is renamed into place, and OUT.lock has its checksum, by which proof/localplane/build.sh finds one that was damaged
# later. An interrupt leaves nothing behind, and what was compiled until then is kept.
set -eu

what=$1 package=$3 flags=${5:-}
. "$(dirname "$0")/goflags.sh"
case $4 in /*) out=$4 ;; *) out=$PWD/$4 ;; esac
cd "$2"
mkdir -p "$(dirname "$out")"

temp=$(mktemp "$out.XXXXXX")
trap 'rm -f "$temp"' EXIT
trap 'exit 130' INT TERM

if command -v flock >/dev/null 2>&1; then
	exec 9>>"$out.lock"
	if ! flock -n 9; then
		echo "another build of $(basename "$out") is running: waiting for it" >&2
		flock 9
		[ ! "$out" -nt "$temp" ] || exit 0 # that one has built it
	fi
fi

failed() {
	echo "$(basename "$out") was not built; what was compiled is kept, the same command continues" >&2
	echo "errors in packages that you did not change mean that the build cache is damaged: go clean -cache" >&2
	exit 1
}

# go list downloads what is missing and names it on standard error.
list=$(go list -deps -f '{{if .Stale}}stale{{end}}' "$package" 2>"$temp") || { cat "$temp" >&2; failed; }
: >"$temp"
missing=$(printf '%s\n' "$list" | grep -c stale || true)
if [ "$missing" -gt 20 ]; then
	echo "$what: $missing packages to compile" >&2
	cache=$(go env GOCACHE)
	free=$(df -Pk "$cache" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')
	if [ "${free:-9999}" -lt $((missing * 2)) ]; then
		echo "only $free MB are free for the build cache $cache; this build takes up to $((missing * 2)) MB: free some, or point GOCACHE elsewhere" >&2
	fi
fi
started=$(date +%s)
# go build -v names each package as it is compiled; one that is in the cache is not named.
go build -v -ldflags "-s -w $flags" -o "$temp" "$package" 2>&1 | {
	done=0
	shown=$started
	while IFS= read -r line; do
		case $line in
		"go: downloading "*) continue ;;
		*" "*) printf '%s\n' "$line" >&2; continue ;; # an error
		esac
		done=$((done + 1))
		now=$(date +%s)
		if [ $((now - shown)) -ge 5 ] && [ "$done" -le "$missing" ]; then
			shown=$now
			left=$(((now - started) * (missing - done) / done))
			if [ -t 2 ]; then
				printf '\r%d of %d packages, about %d s left   ' "$done" "$missing" "$left" >&2
			else
				printf '%d of %d packages, about %d s left\n' "$done" "$missing" "$left" >&2
			fi
		fi
	done
	if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}
[ -s "$temp" ] || failed
chmod 755 "$temp"
cksum <"$temp" >"$out.lock"
mv "$temp" "$out"

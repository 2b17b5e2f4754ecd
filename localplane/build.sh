#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds localplane to the path given, unless that is newer than every source. Builds running at the same time wait for
# each other where flock(1) exists, and never leave half a file: the result is renamed into place.
set -eu

case $1 in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
cd "$(dirname "$0")"
mkdir -p "$(dirname "$out")"

if command -v flock >/dev/null 2>&1; then
	exec 9>"$out.lock"
	flock 9
fi
if [ -x "$out" ] && [ -z "$(find . \( -name '*.go' ! -name '*_test.go' -o -name 'go.mod' -o -name 'go.sum' -o -name build.sh \) -newer "$out")" ]; then
	exit 0
fi

temp=$(mktemp "$out.XXXXXX")
trap 'rm -f "$temp"' EXIT
trap 'exit 130' INT TERM

version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="${flags:-} -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
	flags="$flags -X $package.gitCommit=localplane -X $package.gitTreeState=clean"
done

echo "building localplane with Kubernetes $version (minutes the first time)" >&2
export CGO_ENABLED=0
all=$(go list -trimpath -deps . | wc -l | tr -d ' ')
started=$(date +%s)
# go build -v names each package as it is compiled; a package that is in the cache is not named, so the count begins at what is missing.
missing=$(go list -trimpath -deps -f '{{if .Stale}}x{{end}}' . | grep -c x || true)
echo "$all packages, $missing to compile" >&2
go build -v -trimpath -ldflags "-s -w $flags" -o "$temp" . 2>&1 | {
	done=0
	shown=0
	while IFS= read -r line; do
		case $line in
		*" "*) printf '%s\n' "$line" >&2; continue ;; # an error, or a download
		esac
		done=$((done + 1))
		now=$(date +%s)
		if [ $((now - shown)) -ge 2 ] && [ "$done" -le "$missing" ]; then
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
[ -s "$temp" ] || { echo "localplane was not built" >&2; exit 1; }
chmod 755 "$temp"
mv "$temp" "$out"

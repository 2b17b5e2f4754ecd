#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# measure.sh [PART ...]: measures what a stranger waits for, in a clone of HEAD with empty caches in a temporary folder, and prints the table of
# docs/performance.md. Parts: command, demo, test, check, files; all of them without arguments. The network is part of the figures, as modules
# are downloaded.
# CACHES=keep uses the caches of the user, to try the script.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/goflags.sh
parts=${*:-command demo test check files}

work=$(mktemp -d)
child=
clean() {
	[ -z "$child" ] || kill "$child" 2>/dev/null || true
	chmod -R u+w "$work" 2>/dev/null || true # the module cache is read-only
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM
git clone -q . "$work/clone"
cd "$work/clone"

fresh() { # empty caches
	[ "${CACHES:-}" != keep ] || { rm -rf bin; return 0; }
	chmod -R u+w "$work/cache" 2>/dev/null || true
	rm -rf "$work/cache" bin
	export GOCACHE="$work/cache/build" GOMODCACHE="$work/cache/modules"
}
seconds() { awk -v a="$1" -v b="$2" 'BEGIN { s = b - a; if (s < 60) printf "%.1f s", s; else printf "%d min %02d s", s / 60, s % 60 }'; }
row() { printf '| %s | %s |\n' "$1" "$2"; }
timed() { # WHAT COMMAND...: a row with the time of a command, whose output goes to standard error
	local what=$1 start=$EPOCHREALTIME
	shift
	"$@" >&2 || { row "$what" "failed after $(seconds "$start" "$EPOCHREALTIME")"; exit 1; }
	row "$what" "$(seconds "$start" "$EPOCHREALTIME")"
}
fastest() { # the shortest of 20 runs, in ms
	for _ in $(seq 20); do
		local start=$EPOCHREALTIME
		"$@" >/dev/null 2>&1
		awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f\n", (b - a) * 1000 }'
	done | sort -n | head -1
}

costs() { # WHAT COMMAND...: a row with the time, the processor time and the memory of a command
	local what=$1 line
	shift
	line=$(go run tools/costs.go "$@" 2>&1 >/dev/null) || { row "$what" "failed: $line"; exit 1; }
	row "$what" "$line"
}

demo() { # WHAT: the time until the first tree, which is the first line on standard output, and in all
	local start=$EPOCHREALTIME line first=
	coproc DEMO { make demo 2>"$work/demo.log"; }
	child=$DEMO_PID
	while IFS= read -r line <&"${DEMO[0]}"; do
		[ -n "$first" ] || first=$EPOCHREALTIME
	done
	wait "$child" || { tail -20 "$work/demo.log" >&2; row "\`make demo\`, $1" "failed after $(seconds "$start" "$EPOCHREALTIME")"; exit 1; }
	child=
	row "\`make demo\`, $1: first tree, in memory" "$(seconds "$start" "$first")"
	row "\`make demo\`, $1: in all" "$(seconds "$start" "$EPOCHREALTIME")"
}

echo "Measured $(date -u +%Y-%m-%d) at $(git rev-parse --short HEAD) on $(nproc) cores ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)), $(go version | cut -d' ' -f3);"
[ "${CACHES:-}" != keep ] || echo "with caches that were NOT empty;"
echo "other load at the start: $(cut -d' ' -f1 /proc/loadavg)."
echo
echo "| what | measured |"
echo "|---|---|"
for part in $parts; do
	case $part in
	demo)
		fresh
		demo "empty caches"
		demo "again"
		;;
	command)
		fresh
		timed "the command, empty caches" tools/gobuild.sh "building the command" . ./cmd/tristate bin/tristate
		row "size of the command" "$(awk -v n="$(wc -c <bin/tristate)" 'BEGIN { printf "%.1f MB", n / 1e6 }')"
		row "\`tristate version\`, fastest of 20" "$(fastest bin/tristate version) ms"
		row "completion, fastest of 20" "$(fastest bin/tristate __complete tree --) ms"
		row "packages of the command" "$(go list -deps ./cmd/tristate | wc -l)"
		row "packages of the demo's control plane" "$(go list -C proof/localplane -deps ./api | wc -l)"
		row "packages of the full control plane" "$(go list -C proof/localplane -deps . | wc -l)"
		;;
	test)
		fresh
		timed "\`make test\`, empty caches" make test
		go clean -testcache
		timed "\`make test\`, compiled before" make test
		;;
	check) # of a change in a room that 16 others import, compiled before
		go build ./... ./conditions/...
		echo '// changed' >>internal/fleet/render/doc.go
		timed "\`make check\` after a change of internal/fleet/render" make check
		git checkout -q internal/fleet/render/doc.go
		;;
	files)
		[ -x bin/tristate ] || tools/gobuild.sh "building the command" . ./cmd/tristate bin/tristate
		(cd proof/bench && go run ./cmd/fleet 100000 >"$work/fleet.json")
		row "the list of 100,000 objects" "$(awk -v n="$(wc -c <"$work/fleet.json")" 'BEGIN { printf "%.0f MB", n / 1e6 }')"
		costs "\`status -f\`" bin/tristate status -f "$work/fleet.json"
		costs "\`status -f -o json\`" bin/tristate status -f "$work/fleet.json" -o json
		costs "\`tree -f\` of one object" bin/tristate tree -f "$work/fleet.json" -n team-7 deploy/app-7
		costs "\`why -f\` of one object" bin/tristate why -f "$work/fleet.json" -n team-7 deploy/app-7
		if command -v jq >/dev/null; then
			costs "jq, the names alone" jq -r '.items[].metadata.name' "$work/fleet.json"
		fi
		(cd proof/bench && go run ./cmd/fleet 390000 pods >"$work/fleet.json")
		row "the list of 390,000 pods" "$(awk -v n="$(wc -c <"$work/fleet.json")" 'BEGIN { printf "%.2f GB", n / 1e9 }')"
		costs "\`status -f\`" bin/tristate status -f "$work/fleet.json"
		pod=$(grep -om1 '"name":"service-7-[0-9a-f]*-[0-9a-f]*' "$work/fleet.json" | head -1 | cut -d'"' -f4)
		costs "\`tree -f\` of one of them" bin/tristate tree -f "$work/fleet.json" -n team-7 "pod/$pod"
		costs "\`why -f\` of one of them" bin/tristate why -f "$work/fleet.json" -n team-7 "pod/$pod"
		rm "$work/fleet.json"
		;;
	*)
		echo "measure.sh: $part is none of command, demo, test, check, files" >&2
		exit 2
		;;
	esac
done

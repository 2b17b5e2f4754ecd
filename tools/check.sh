#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The inner loop: go vet and go test of the packages with a file that differs from the merge base with main (or is new), and of the packages
# that import them, in each module. Tests on an API server are skipped, unless PLANE=1.
set -euo pipefail
cd "$(dirname "$0")/.."

base=HEAD
for main in origin/main main; do
	if git rev-parse -q --verify "$main^{commit}" >/dev/null; then
		base=$(git merge-base HEAD "$main")
		break
	fi
done
changed=$({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } | sort -u)
[ -n "$changed" ] || { echo "nothing differs from $(git rev-parse --short "$base")"; exit 0; }

if [ "${PLANE:-}" = 1 ]; then
	make --no-print-directory bin/localplane
	export TRISTATE_REQUIRE_PLANE=1
else
	export TRISTATE_PLANE=off
fi

# Packages of a module that hold a changed file, in their folder or below it (as in testdata), and the direct importers of these.
affected() {
	go list -test -f '{{.Dir}}	{{or .ForTest .ImportPath}}	{{join .Imports " "}}' "$@" | awk -F '\t' '
		{ sub(/\.test$/, "", $2); sub(/_test$/, "", $2); dir[$1] = $2; imports[$2] = imports[$2] " " $3 " " }
		END {
			n = split(ENVIRON["changed"], file, "\n")
			for (i = 1; i <= n; i++) {
				at = ENVIRON["root"] "/" file[i]
				while (sub(/\/[^\/]*$/, "", at) && !(at in dir)) {}
				if (at in dir) hit[dir[at]] = 1
			}
			for (p in imports) {
				found = p in hit
				for (h in hit) if (index(imports[p], " " h " ")) found = 1
				if (found) print p
			}
		}' | sort
}

root=$PWD
export root changed
for module in $(git ls-files go.mod '*/go.mod' | xargs -n1 dirname | grep -vE '^(tools|examples)/|/testdata/'); do
	all=./...
	[ "$module" != conditions ] || continue # with the root module, in its workspace
	[ "$module" != . ] || all="./... ./conditions/..."
	[ "$module" = . ] || grep -q "^$module/" <<<"$changed" || continue # to list a module without a change takes seconds
	(
		cd "$module"
		# shellcheck disable=SC2086
		packages=$(affected $all)
		[ -n "$packages" ] || exit 0
		echo "$module: $(wc -w <<<"$packages") packages" >&2
		# shellcheck disable=SC2086
		go vet $packages && go test -vet=off $packages
	)
done

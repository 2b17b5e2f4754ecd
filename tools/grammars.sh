#!/usr/bin/env bash
# Brings the WebAssembly builds of the grammars into internal/declare/source/grammar/wasm, from the packages that SOURCES.md there lists, and fails if
# one has another sum. For a new version, change the table first: the sum that is printed then belongs into it.
set -euo pipefail
cd "$(dirname "$0")/../internal/declare/source/grammar/wasm"
there=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
status=0
while IFS='|' read -r _ file package version sum _; do
	file=${file// /} package=${package// /} version=${version// /} sum=${sum// /}
	archive=$(npm pack --silent "$package@$version")
	tar -xzf "$archive" "package/$file"
	found=$(sha256sum "package/$file" | cut -d' ' -f1)
	if [ "$found" != "$sum" ]; then
		echo "$file of $package $version has the sum $found, not $sum"
		status=1
		continue
	fi
	gzip -9nc "package/$file" >"$there/$file.gz"
done < <(grep '^| .*\.wasm |' "$there/SOURCES.md")
exit $status

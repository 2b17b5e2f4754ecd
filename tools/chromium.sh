#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what the tests of the page need where it is missing, on Debian: Chromium and the fonts of the pictures. For CI, as root.
set -euo pipefail
missing=()
command -v "${CHROMIUM:-chromium}" >/dev/null || missing+=(chromium)
command -v fc-match >/dev/null || missing+=(fontconfig)
[[ "$(fc-match Inter 2>/dev/null)" == *Inter* ]] || missing+=(fonts-inter)
[[ "$(fc-match 'DejaVu Sans Mono' 2>/dev/null)" == *DejaVu* ]] || missing+=(fonts-dejavu-core)
[ ${#missing[@]} -gt 0 ] || exit 0
echo "installing ${missing[*]}" >&2
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null

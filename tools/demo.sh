#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The demo, from a clone with nothing built: demo.sh FLAGS OF TRISTATE DEMO. The first trees appear as soon as the command is built; the
# control plane is downloaded meanwhile and compiled afterwards. An interrupt at any time leaves nothing running.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/goflags.sh

has() { if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then [ -x "$KUBEBUILDER_ASSETS/$1" ]; else command -v "$1" >/dev/null; fi; }

# What serves the API: programs of this machine, else the full control plane if it is there, else the part that is needed.
if [ -n "${KUBEBUILDER_ASSETS:-}" ] || { has etcd && has kube-apiserver; }; then
	package=./machine plane=bin/localplane-machine
	echo "etcd and kube-apiserver of ${KUBEBUILDER_ASSETS:+KUBEBUILDER_ASSETS=}${KUBEBUILDER_ASSETS:-PATH} are used, none is compiled" >&2
elif [ -x bin/localplane ] && [ -z "$(find proof/localplane -name '*.go' ! -name '*_test.go' -newer bin/localplane)" ]; then
	package=. plane=bin/localplane
else
	package=./api plane=bin/localplane-api
fi

downloads=
stop() { [ -z "$downloads" ] || kill "$downloads" 2>/dev/null || true; }
trap stop EXIT
trap 'exit 130' INT TERM

if [ ! -x "$plane" ]; then
	(trap - INT; exec go list -C proof/localplane -deps "$package" >/dev/null 2>&1) &
	downloads=$!
fi
tools/gobuild.sh "1 of 2: the command, then a cluster's life in memory" . ./cmd/tristate bin/tristate
bin/tristate play --pace 300ms cluster-api/ssh-key-missing cluster-api/upgrade
echo
echo "2 of 2: the same on a real API server" >&2
[ -z "$downloads" ] || wait "$downloads" || true
downloads=
proof/localplane/build.sh "$plane" "$package"
exec bin/tristate demo --localplane "$plane" "$@"

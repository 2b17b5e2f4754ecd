#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh OUT [PACKAGE]: builds localplane, or its package api or machine, unless OUT is newer than every source and has the checksum of the build.
set -eu

case $1 in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
package=${2:-.}
cd "$(dirname "$0")"

whole() { built=$(cat "$out.lock" 2>/dev/null) && [ -n "$built" ] || return 0; [ "$built" = "$(cksum <"$out")" ] || { echo "$out is damaged: it is built again" >&2; return 1; }; }
current() { [ -x "$out" ] && whole && [ -z "$(find . \( -name '*.go' ! -name '*_test.go' -o -name 'go.mod' -o -name 'go.sum' -o -name build.sh \) -newer "$out")" ]; }
! current || exit 0

version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
for path in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="${flags:-} -X $path.gitVersion=$version -X $path.gitMajor=1 -X $path.gitMinor=${minor%%.*}"
	flags="$flags -X $path.gitCommit=localplane -X $path.gitTreeState=clean"
done
case $package in
./api) has="etcd and kube-apiserver" ;;
./machine) has="a supervisor for the etcd and kube-apiserver of this machine" ;;
*) has="etcd, kube-apiserver, kube-controller-manager, kube-scheduler and KWOK" ;;
esac
exec ../../tools/gobuild.sh "building $(basename "$out") with Kubernetes $version ($has)" . "$package" "$out" "$flags"

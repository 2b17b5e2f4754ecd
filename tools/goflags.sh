# SPDX-License-Identifier: Apache-2.0
#
# goflags.sh, to be read by a shell: one set of flags for every program and test, so that what is compiled for one serves the next. Debug
# information is left out, as the programs are stripped and a trace has its lines without it; compilers collect garbage only once they have
# 600 MB: two at a time, of the largest packages, fit into a machine of 4 GB, and none keeps that much alive. Both together save about a
# quarter of the compiling. Only the race detector needs a C compiler. GOFLAGS that are set stay.
export CGO_ENABLED="${CGO_ENABLED:-0}"
export GOFLAGS="${GOFLAGS:--trimpath -gcflags=all=-dwarf=false '-toolexec=env GOGC=off GOMEMLIMIT=600MiB'}"

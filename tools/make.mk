# SPDX-License-Identifier: Apache-2.0
#
# What every Makefile of the repository has: help, the flags of go, bin/localplane. A Makefile first sets ROOT, the root
# of the repository.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
# CONTRIBUTING.md describes what runs where.
export GOFLAGS := $(shell GOFLAGS=; . $(ROOT)/tools/goflags.sh; echo "$$GOFLAGS")
export CGO_ENABLED ?= 0

# Without go vet, which would look through every dependency again; lint has it. With fewer collections of garbage a
# control plane takes a fifth less of the processor, and 690 MB of memory instead of 510.
GOTEST := GOGC=200 TRISTATE_REQUIRE_PLANE=1 go test -vet=off -timeout 30m
# A campaign or a measurement, which prints its figures.
MEASURE := TRISTATE_REQUIRE_PLANE=1 go test -vet=off -count=1 -v
# Random trouble, random steps and great numbers: make test-rest has the short form; chaos, scale, oracle and random, in
# the Makefile of a folder, are the long one.
CAMPAIGNS := ^(TestChaos|TestOracle|TestRandomSteps|TestShort|TestScale
CAMPAIGNS := $(CAMPAIGNS)|TestOneCatalogOfTen|TestProcessMemory|TestRelated_tenThousand)$$

.PHONY: $(shell sed -nE 's/^([a-z][a-z-]*):.*/\1/p' $(firstword $(MAKEFILE_LIST))) asked

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 19

# build.sh builds it again if its sources have changed or it was damaged, and makes concurrent builds safe.
LOCALPLANE := $(ROOT)/bin/localplane
$(LOCALPLANE): asked
	@$(ROOT)/proof/localplane/build.sh $@

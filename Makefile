# Tristate. The two that matter: make demo, make test; the inner loop: make check.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
# The flags of tools/goflags.sh everywhere. CONTRIBUTING.md describes what runs where.
export GOFLAGS := $(shell GOFLAGS=; . tools/goflags.sh; echo "$$GOFLAGS")
export CGO_ENABLED ?= 0
# Every module of the repository but the tools, which are others' programs, the partners of tests, and those that prove exports.
MODULES := $(shell git ls-files go.mod '*/go.mod' | xargs -n1 dirname | grep -vE '^(tools|exports)/|^operators/partners$$|/testdata/')
# A tool is a module of its own, and -modfile does not go with a workspace.
TOOL := env GOWORK=off go tool -modfile=$(CURDIR)/tools
HELM := $(TOOL)/helm/go.mod helm
STATICCHECK := $(CURDIR)/bin/staticcheck

# Operators with a chart.
OPERATORS := kars vworkspace kro
# Programs of other projects, for test-partners.
PARTNERS := bin/source-controller bin/helm-releases bin/cert-manager
MANIFESTS := deploy/tristate.yaml deploy/serve.yaml $(OPERATORS:%=operators/%/deploy/install.yaml)

.PHONY: $(shell sed -nE 's/^([a-z][a-z-]*):.*/\1/p' Makefile)

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

include localplane/build.mk

build: bin/localplane ## bin/tristate, bin/tristate-scan for code, and bin/localplane
	tools/gobuild.sh "building the command" . ./cmd/tristate bin/tristate
	tools/gobuild.sh "building the scan of code" . ./cmd/tristate-scan bin/tristate-scan

demo: ## a cluster is provisioned, breaks, recovers and is upgraded on a real API server; KEEP=1 leaves it up, UI=1 shows it in the browser too
	@tools/demo.sh $(if $(KEEP),--keep) $(if $(UI),--ui) $(DEMOFLAGS)

# Without go vet, which would look through every dependency again; lint has it. A control plane takes a fifth less of the processor with
# fewer collections of garbage, and then 690 MB of memory instead of 510.
GOTEST := GOGC=200 TRISTATE_REQUIRE_PLANE=1 go test -vet=off -timeout 30m

# Most tests on an API server wait for a controller: three parts run at the same time, and one compiles while others wait. go commands that
# run at the same time do not wait for each other's compilations, so what the parts share is compiled first; go list -export links nothing.
# What waits longest starts first.
test: build ## the product's claims: unit, stories, the five systems on a real API server
	go list -export ./... ./conditions/... >/dev/null
	+$(MAKE) --no-print-directory -j3 test-root test-operators test-kro

# Random trouble, random steps and great numbers in their short form, which test-rest has; chaos, scale, kars-oracle and their kind are the long one.
CAMPAIGNS := ^(TestChaos|TestOracle|TestRandomSteps|TestShort|TestScale|TestOneCatalogOfTen|TestProcessMemory|TestRelated_tenThousand)$$

# test-plane has the tests of the control plane, which is a tool, and lint the rules of the house.
test-root: bin/localplane ## of test: the command, the library, the catalogs and the stories
	packages=$$(go list ./... ./conditions/... | grep -vE 'internal/prove/(plane|house)'); $(GOTEST) -skip '$(CAMPAIGNS)' $$packages

test-operators: bin/localplane ## of test: package operator with the operator of the guide, kars and vWorkspace
	cd operators && $(GOTEST) -skip '$(CAMPAIGNS)' ./kars ./vworkspace ./...
	for m in $(filter-out operators operators/kro,$(filter operator% examples/%,$(MODULES))); do (cd $$m && $(GOTEST) -skip '$(CAMPAIGNS)' ./...); done

test-kro: bin/localplane ## of test: the operator for kro
	cd operators/kro && $(GOTEST) -skip '$(CAMPAIGNS)' ./...

test-all: test test-rest ## test and test-rest: what CI runs

test-rest: lint test-plane test-campaigns conditions-oldest test-oracle test-bench prove-exports test-partners test-install test-ui test-race ## all but the product's claims; each part can be run alone

test-plane: bin/localplane ## of test-rest: the control plane itself: what it serves, how it starts and ends
	cd localplane && go test -vet=off -timeout 30m ./...
	$(GOTEST) ./internal/prove/plane/...

test-campaigns: bin/localplane ## of test-rest: the short forms of random trouble, random steps and great numbers
	$(GOTEST) -run '$(CAMPAIGNS)' ./controller ./internal/prove/campaign ./internal/prove/story ./internal/read/cluster
	cd operators && $(GOTEST) -run '$(CAMPAIGNS)' ./kars ./vworkspace
	cd operators/kro && $(GOTEST) -run '$(CAMPAIGNS)' .

# The packages that start goroutines or whose values several goroutines use, the callers' included: records and passes of conditions, writers,
# watches, the graph of relations, programs of expressions, tables made once, the story player, and commands that watch. The other packages
# are functions from input to output.
RACE := ./conditions/... \
	./apply \
	./controller \
	./internal/read/cluster \
	./internal/read/history \
	./internal/read/rows \
	./internal/read/server \
	./internal/read/notify \
	./internal/read/relation \
	./internal/declare/expr \
	./internal/declare/crd \
	./internal/read/pack \
	./verdict \
	./internal/write/probe \
	./internal/prove/live \
	./internal/cli/run \
	./internal/cli/view \
	./internal/cli/wait

test-race: export CGO_ENABLED := 1
test-race: bin/localplane ## of test-rest: the race detector over packages with concurrent code; needs a C compiler
	$(GOTEST) -race $(RACE)

conditions-oldest: ## of test-rest: the library with the oldest apimachinery that it supports; test has it with the newest
	cd conditions && GOWORK=off go vet ./... && GOWORK=off go test -timeout 10m ./...

test-oracle: ## of test-rest: differential tests against the upstream libraries
	cd oracle && go test -timeout 10m ./...

test-bench: bin/localplane ## of test-rest: the benchmarks compile, and the same operator five times passes the same troubles
	cd bench && $(GOTEST) ./...

# Modules that prove exports by the code of their consumers, which are large.
EXPORTS := $(shell git ls-files 'exports/*/go.mod' statusreader/go.mod | xargs -n1 dirname)

prove-exports: ## of test-rest: what gen writes for other tools, run by their own code; TRISTATE_EXPORTS=n generates n objects of each kind
	for m in $(EXPORTS); do (cd $$m && go vet ./... && go test -timeout $(if $(TRISTATE_EXPORTS),10h,30m) ./...); done

record-exports: ## write the lists and the page of docs/exports again, after a catalog, a pack or a rule has changed
	for m in argocd karmada flux crossplane consumers; do (cd exports/$$m && go test -timeout 30m ./... -update); done

test-install: bin/localplane ## of test-rest: builds that are interrupted or damaged; go install of the command from a folder that serves the modules as a proxy does; a project of init, vetted; images, unpacked and run; charts, by Helm; docs/operation.md, with kubectl
	TRISTATE_INSTALL=1 $(GOTEST) ./tools/release -run TestGoInstall -count=1
	TRISTATE_INSTALL=1 $(GOTEST) ./internal/prove/house -run TestBuild -count=1
	TRISTATE_INSTALL=1 $(GOTEST) ./internal/cli -run 'TestOperation|TestLive/keep' -count=1
	cd operator && TRISTATE_INSTALL=1 $(GOTEST) . -run TestProject -count=1
	cd operators && TRISTATE_IMAGES=1 $(GOTEST) ./deploy/image -count=1
	$(HELM) lint deploy/chart $(OPERATORS:%=operators/%/deploy/chart)
	$(MAKE) -B $(MANIFESTS) && git diff --exit-code -- $(MANIFESTS)

# The page is built again where there is Node, and must be what is committed.
test-ui: bin/localplane ## of test-rest: the page in headless Chromium, which CI installs; skipped with a message where there is none
	if command -v npm >/dev/null; then $(MAKE) page && git diff --exit-code -- internal/read/ui/dist internal/read/ui/page/src; else echo "there is no Node: the page is not built again"; fi
	tools/gobuild.sh "building the command" . ./cmd/tristate bin/tristate
	cd internal/read/ui/browser && go test -timeout 30m -count=1 ./...

test-partners: bin/localplane $(PARTNERS) ## of test-rest: with the real source-controller of Flux, Helm's engine, cert-manager's controllers, and the real kro
	cd operators/partners && go vet ./...
	cd operators && TRISTATE_PARTNERS=1 $(GOTEST) ./vworkspace -run 'TestSourceController|TestPartners' -count=1
	cd operators/kro && TRISTATE_PARTNERS=1 $(GOTEST) . -run TestSideBySide -count=1

campaign: bin/localplane ## 1,000 random edits of a healthy shop on a real control plane, each to be named by why: the table of docs/causes.md; most of an hour
	TRISTATE_CAMPAIGN=1000 TRISTATE_REQUIRE_PLANE=1 go test -parallel 3 -timeout 3h ./internal/prove/campaign -run TestCampaign -count=1 -v -update

charts: bin/localplane ## published charts on a real control plane, of which why has to name nothing; CHARTS is a folder with those of internal/prove/campaign/testdata/charts.tsv
	TRISTATE_CHARTS=$(abspath $(CHARTS)) TRISTATE_REQUIRE_PLANE=1 go test -timeout 1h ./internal/prove/campaign -run TestCharts -count=1 -v

cost: ## what status and why cost with the conditions of docs/causes.md and without them, in turns; on a quiet machine
	TRISTATE_COST=1 go test -timeout 1h ./internal/read/wiring -run TestCost -count=1 -v

check: ## the inner loop: vet and tests of what changed since main and of its importers; PLANE=1 with those on an API server
	tools/check.sh

measure: ## the figures of docs/performance.md, in a clone with empty caches; PARTS="command files" are two of them
	@tools/measure.sh $(PARTS)

tidy: ## go mod tidy in every module; the versions of modules that are not released yet are those of this checkout
	cd conditions && GOWORK=off go mod tidy
	go mod edit -replace github.com/tristate/tristate/conditions=./conditions
	GOWORK=off go mod tidy; status=$$?; go mod edit -dropreplace github.com/tristate/tristate/conditions; exit $$status
	for m in localplane oracle bench operator operators operators/kro operators/partners examples/operator internal/read/ui/browser $(EXPORTS); do (cd $$m && go mod tidy); done

bin/staticcheck: tools/staticcheck/go.mod
	GOWORK=off go build -C tools/staticcheck -o $(CURDIR)/$@ honnef.co/go/tools/cmd/staticcheck

lint: bin/staticcheck ## of test-rest: formatting, go vet and staticcheck over every module, and the rules of the house
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	for m in $(MODULES); do (cd $$m; go vet ./... && $(STATICCHECK) ./...); done
	$(GOTEST) ./internal/prove/house

gen: $(MANIFESTS) internal/cli/testdata/chart/rendered.yaml ## write the generated files again
	go generate ./...
	cd operators && go generate ./...
	cd operators/kro && go generate ./...


# The page is built with Node, and committed; Go alone builds the command. CI has Node and finds a difference.
page: ## the page of tristate ui, built from internal/read/ui/page into internal/read/ui/dist; needs Node 20.19 or later
	cd internal/read/ui/page && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

# VitePress fails on a link to a page that does not exist; TestLinks has the anchors and the links to files.
site: ## the pages of docs as a static site in dist/site, by VitePress; needs Node 20.19 or later
	cd tools/site && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

# The plain manifests are what the chart makes of its default values, without the label that only Helm may put on; a release puts the
# definition of ConditionCatalog before them.
deploy/tristate.yaml: $(shell find deploy/chart -type f) deploy/namespace.yaml
	{ cat deploy/namespace.yaml; $(HELM) template tristate deploy/chart --namespace tristate-system --kube-version 1.36.0 | grep -v 'managed-by: Helm'; } > $@.tmp
	mv $@.tmp $@

deploy/serve.yaml: $(shell find deploy/chart -type f) deploy/namespace.yaml
	{ echo '# tristate serve in a cluster, as plain manifests. Written by make gen from the chart, which has the choices.'; grep -v '^#' deploy/namespace.yaml; \
		$(HELM) template tristate deploy/chart --namespace tristate-system --kube-version 1.36.0 --set serve.enabled=true --show-only templates/serve.yaml | grep -v 'managed-by: Helm'; } > $@.tmp
	mv $@.tmp $@

# A chart of an operator takes the generated roles, definitions and admission by symbolic links, which Helm reports.
operators/%/deploy/install.yaml: operators/%/deploy/namespace.yaml $(shell find -L operators/deploy operators/*/deploy/chart -type f)
	{ cat $<; $(HELM) template $*-operator operators/$*/deploy/chart --namespace $*-system --kube-version 1.36.0 2>/dev/null | grep -vE 'managed-by: Helm|^# Source: '; } > $@.tmp
	mv $@.tmp $@

# What the chart makes with every value switched on, for its test.
%/chart/rendered.yaml: %/chart/values.yaml $(shell find deploy/chart -type f)
	$(HELM) template edge deploy/chart --namespace tristate-system --kube-version 1.36.0 --values $< > $@.tmp
	mv $@.tmp $@

release: ## archives, chart, manifests, checksums, SBOMs and provenance in dist/; VERSION=vX.Y.Z
	go run ./tools/release -version $(or $(VERSION),v0.0.0-dev) -out dist

# The programs that run in a cluster, as NAME=FOLDER, with further programs of the image after a +.
IMAGES := tristate=cmd/tristate+cmd/tristate-scan tristate-otel=exports/otel/cmd/tristate-otel kars-operator=operators/kars/cmd/kars-operator kars-router=operators/kars/cmd/kars-router \
	kars-eval-runner=operators/kars/cmd/kars-eval-runner vworkspace-operator=operators/vworkspace/cmd/vworkspace-operator kro-operator=operators/kro/cmd/kro-operator

images: ## OCI image layouts of the programs that run in a cluster in dist/images, without a container engine; VERSION=vX.Y.Z
	go run -C operators ./deploy/image -out $(CURDIR)/dist/images -version $(or $(VERSION),v0.0.0-dev) $(foreach i,$(IMAGES),$(subst +,+$(CURDIR)/,$(subst =,=$(CURDIR)/,$(i))))

fmt: ## format
	gofmt -w $$(git ls-files '*.go')

bench: ## side by side with the upstream libraries, as ratios
	cd bench && go run ./cmd/table

chaos: bin/localplane ## ten minutes of random trouble for the controller, and times after outages; the seed is printed, CHAOS_SEED repeats it
	TRISTATE_REQUIRE_PLANE=1 TRISTATE_OUTAGES=1 TRISTATE_CHAOS=$(or $(CHAOS),10m) TRISTATE_CHAOS_SEED=$(CHAOS_SEED) go test ./controller -run 'TestChaos|TestOutage_times' -count=1 -v -timeout 30m

scale: bin/localplane ## 20,000 machines under the controller: time, writes a second, memory
	TRISTATE_REQUIRE_PLANE=1 TRISTATE_SCALE=$(or $(MACHINES),20000) go test ./controller -run 'TestScale|TestOneCatalogOfTen|TestProcessMemory' -count=1 -v -timeout 60m

scan: ## the share of reason sites that the scan of Go code resolves in five modules of others, and those that it does not; downloads them
	TRISTATE_SCAN="sigs.k8s.io/cluster-api@v1.10.5 github.com/cert-manager/cert-manager@v1.21.2 github.com/fluxcd/source-controller@v1.8.5 \
		github.com/crossplane/crossplane/v2@v2.1.0 sigs.k8s.io/kueue@v0.14.0" go test ./internal/declare/source/goscan -run TestModules -count=1 -v -timeout 60m

kars-rows: bin/localplane ## every row of the document "Conditions" of kars from its real trigger; prints the rows reached
	cd operators && TRISTATE_REQUIRE_PLANE=1 go test ./kars -run TestRows -count=1 -v -timeout 20m

vworkspace-rows: bin/localplane ## every row of the document "Conditions" of vWorkspace from its real trigger; prints the rows reached
	cd operators && TRISTATE_REQUIRE_PLANE=1 go test ./vworkspace -run TestRows -count=1 -v -timeout 20m

vworkspace-oracle: bin/localplane ## 2,000 random steps held to the document's tables, and each transition to one event; STEPS=n, SEED=n repeats them
	cd operators && TRISTATE_REQUIRE_PLANE=1 TRISTATE_VWORKSPACE_STEPS=$(or $(STEPS),2000) TRISTATE_VWORKSPACE_SEED=$(or $(SEED),$(shell date +%s)) go test ./vworkspace -run 'TestOracle$$' -count=1 -v -timeout 60m

# The real source-controller of Flux, for TestSourceController.
bin/source-controller: tools/source-controller/go.mod tools/source-controller/go.sum
	GOWORK=off go build -C tools/source-controller -ldflags '-s -w' -o $(CURDIR)/$@ github.com/fluxcd/source-controller

# Helm's engine behind HelmReleases and the controllers of cert-manager, from their modules, for TestPartners.
bin/helm-releases bin/cert-manager: bin/%: operators/partners/go.mod operators/partners/go.sum $(wildcard operators/partners/*/*.go)
	go build -C operators/partners -ldflags '-s -w' -o $(CURDIR)/$@ ./$*

vworkspace-partners: bin/localplane $(PARTNERS) ## the operator of vWorkspace with source-controller, Helm's engine and cert-manager, and with a registry that goes away
	cd operators && TRISTATE_PARTNERS=1 TRISTATE_REQUIRE_PLANE=1 go test ./vworkspace -run 'TestSourceController|TestPartners' -count=1 -v -timeout 20m

vworkspace-scale: bin/localplane ## 500 applications with an operation each: requests, transitions, memory; APPLICATIONS=n
	cd operators && TRISTATE_REQUIRE_PLANE=1 TRISTATE_VWORKSPACE_SCALE=$(or $(APPLICATIONS),500) go test ./vworkspace -run 'TestScale$$' -count=1 -v -timeout 120m

kars-oracle: bin/localplane ## 2,000 random steps held to the document's tables; STEPS=n, SEED=n repeats them
	cd operators && TRISTATE_REQUIRE_PLANE=1 TRISTATE_KARS_STEPS=$(or $(STEPS),2000) TRISTATE_KARS_SEED=$(SEED) go test ./kars -run 'TestOracle$$' -count=1 -v -timeout 60m

kars-scale: bin/localplane ## 1,000 sandboxes with five policies each: objects, requests, transitions, memory; SANDBOXES=n
	cd operators && TRISTATE_REQUIRE_PLANE=1 TRISTATE_KARS_SCALE=$(or $(SANDBOXES),1000) go test ./kars -run 'TestScale$$' -count=1 -v -timeout 120m

demo-kars: bin/localplane ## kars on a real API server: a sandbox with its policies, an edited profile, a store that refuses, a grant that expires
	go run -C operators ./kars/cmd/kars-demo --localplane $(CURDIR)/bin/localplane

demo-vworkspace: bin/localplane ## vWorkspace on a real API server: an installation, a registry that goes away, a backup that awaits approval, a control plane that is lost
	go run -C operators ./vworkspace/cmd/vworkspace-demo --localplane $(CURDIR)/bin/localplane

kro-compare: bin/localplane ## the same definitions and faults with the operator for kro and with kro 0.9.4; prints what each says
	cd operators/kro && TRISTATE_PARTNERS=1 TRISTATE_REQUIRE_PLANE=1 go test . -run TestSideBySide -count=1 -v -timeout 20m

kro-scale: bin/localplane ## 200 definitions and 5,000 instances with the operator for kro and with kro 0.9.4: time, writes, requests; QPS=n is the limit of both
	cd operators/kro && TRISTATE_REQUIRE_PLANE=1 KRO_DEFINITIONS=$(or $(DEFINITIONS),200) KRO_INSTANCES=$(or $(INSTANCES),5000) KRO_QPS=$(QPS) KRO_BESIDE=1 go test . -run TestScale -count=1 -v -timeout 120m

kro-random: bin/localplane ## 2,000 random steps with kills for the operator for kro, held to what the specs ask for; STEPS=n, SEED=n repeats them
	cd operators/kro && TRISTATE_REQUIRE_PLANE=1 KRO_STEPS=$(or $(STEPS),2000) KRO_SEED=$(SEED) go test . -run TestRandomSteps -count=1 -v -timeout 60m

demo-kro: bin/localplane ## a definition, a Deployment without pods, a broken image, a deleted CustomResourceDefinition, with the operator for kro
	cd operators/kro && go run ./cmd/kro-demo

oracle-long: ## a million cases and more per operation against the upstream libraries
	cd oracle && TRISTATE_ORACLE=long go test -timeout 3h ./...

clean: ## remove what was built
	rm -rf bin dist .cache

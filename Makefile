# Tristate. The two that matter: make demo, make test; the inner loop: make check.
ROOT := .
include tools/make.mk

# Every module of the repository but the tools, which are others' programs, the partners of tests, and those that prove exports.
MODULES := $(shell git ls-files go.mod '*/go.mod' | xargs -n1 dirname | grep -vE '^(tools/[^i]|proof/(consumers|partners))|/testdata/')
# A tool is a module of its own, and -modfile does not go with a workspace.
TOOL := env GOWORK=off go tool -modfile=$(CURDIR)/tools
HELM := $(TOOL)/helm/go.mod helm
LINT := $(CURDIR)/bin/lint

# Operators with a chart.
OPERATORS := kars vworkspace kro
MANIFESTS := deploy/tristate.yaml deploy/serve.yaml $(OPERATORS:%=systems/%/operator/deploy/install.yaml)

# What test and test-rest run by the Makefile of a folder. Those have more targets: make -C systems/kars/operator help.
TESTED := $(OPERATORS:%=systems/%/operator/test) operator/test
FOLDERS := $(TESTED) systems/kro/operator/compare systems/vworkspace/operator/partners \
	proof/localplane/test proof/oracle/test proof/bench/test

.PHONY: $(FOLDERS)
$(FOLDERS):
	+$(MAKE) --no-print-directory -C $(@D) $(@F)

build: $(LOCALPLANE) ## bin/tristate, bin/tristate-scan for code, and bin/localplane
	tools/gobuild.sh "building the command" . ./cmd/tristate bin/tristate
	tools/gobuild.sh "building the scan of code" . ./cmd/tristate-scan bin/tristate-scan

demo: ## a cluster's life on a real API server; KEEP=1 leaves it up, UI=1 shows it in the browser too
	@tools/demo.sh $(if $(KEEP),--keep) $(if $(UI),--ui) $(DEMOFLAGS)

# Most tests on an API server wait for a controller: three parts run at the same time, and one compiles while others wait. go commands that
# run at the same time do not wait for each other's compilations, so what the parts share is compiled first; go list -export links nothing.
# What waits longest starts first.
test: build ## the product's claims: unit, stories, the five systems on a real API server
	go list -export ./... ./conditions/... >/dev/null
	+$(MAKE) --no-print-directory -j3 test-root $(TESTED)

# proof/localplane/test has the tests of the control plane, which is a tool, and lint the rules of the house.
test-root: $(LOCALPLANE) ## of test: the command, the library, the catalogs and the stories
	packages=$$(go list ./... ./conditions/... | grep -vE 'proof/(plane|house)'); $(GOTEST) -skip '$(CAMPAIGNS)' $$packages

test-all: test test-rest ## test and test-rest: what CI runs

test-rest: lint proof/localplane/test test-campaigns conditions-oldest proof/oracle/test proof/bench/test prove-exports record \
	systems/vworkspace/operator/partners systems/kro/operator/compare test-install test-ui test-race
test-rest: ## all but the product's claims; each part can be run alone

test-campaigns: $(LOCALPLANE) ## of test-rest: the short forms of random trouble, random steps and great numbers
	$(GOTEST) -run '$(CAMPAIGNS)' ./controller ./proof/campaign ./proof/story ./internal/fleet/cluster
	for m in $(OPERATORS); do (cd systems/$$m/operator && $(GOTEST) -run '$(CAMPAIGNS)' .); done

fuzz: ## every fuzz target, an hour in all; SECONDS=n is another time
	tools/fuzz.sh $(or $(SECONDS),3600)

# The packages that start goroutines or whose values several goroutines use, the callers' included: records and passes of conditions, writers,
# watches, the graph of relations, programs of expressions, tables made once, the story player, and commands that watch. The other packages
# are functions from input to output.
RACE := ./conditions/... \
	./apply \
	./controller \
	./internal/fleet/cluster \
	./internal/fleet/history \
	./internal/fleet/rows \
	./internal/cli/server \
	./internal/fleet/relation \
	./internal/declare/expr \
	./internal/declare/crd \
	./internal/declare/pack \
	./verdict \
	./internal/write/probe \
	./proof/story/live \
	./internal/cli/run \
	./internal/cli/view \
	./internal/cli/wait

test-race: export CGO_ENABLED := 1
test-race: $(LOCALPLANE) ## of test-rest: the race detector over packages with concurrent code; needs a C compiler
	$(GOTEST) -race $(RACE)

conditions-oldest: ## of test-rest: the library with the oldest apimachinery that it supports
	cd conditions && GOWORK=off go vet ./... && GOWORK=off go test -timeout 10m ./...

# Modules that prove exports by the code of their consumers, which are large.
EXPORTS := $(shell git ls-files 'proof/consumers/*/go.mod' statusreader/go.mod | xargs -n1 dirname)

prove-exports: ## of test-rest: the exports, run by their consumers' code; TRISTATE_EXPORTS=n generates n objects of a kind
	@failed=; for m in $(EXPORTS); do (cd $$m && go vet ./... && go test -timeout $(if $(TRISTATE_EXPORTS),10h,30m) ./...) || failed+=" $$m"; done; \
		test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# A release, made and used as strangers would; builds that are interrupted or damaged; a project of init,
# vetted; images, unpacked and run; charts, by Helm; docs/operation.md, with kubectl.
test-install: $(LOCALPLANE) ## of test-rest: builds, go install, a project of init, images, charts, docs/operation.md
	TRISTATE_INSTALL=1 $(GOTEST) ./tools/release -run TestRelease -count=1
	TRISTATE_INSTALL=1 $(GOTEST) ./proof/house -run TestBuild -count=1
	TRISTATE_INSTALL=1 $(GOTEST) ./internal/cli -run 'TestOperation|TestLive/keep' -count=1
	cd operator && TRISTATE_INSTALL=1 $(GOTEST) . -run TestProject -count=1
	cd tools/image && TRISTATE_IMAGES=1 $(GOTEST) . -count=1
	$(HELM) lint deploy/chart $(OPERATORS:%=systems/%/operator/deploy/chart)
	$(MAKE) -B $(MANIFESTS) && git diff --exit-code -- $(MANIFESTS)

# The page is built again where there is Node, and must be what is committed.
test-ui: $(LOCALPLANE) ## of test-rest: the page in headless Chromium, which CI installs; skipped if there is none
	if command -v npm >/dev/null; then $(MAKE) page && git diff --exit-code -- internal/cli/page/dist internal/cli/page/source/src; \
		else echo "there is no Node: the page is not built again"; fi
	tools/gobuild.sh "building the command" . ./cmd/tristate bin/tristate
	cd internal/cli/page/browser && go test -timeout 30m -count=1 ./...

check: ## the inner loop: vet and tests of what changed and of its importers; PLANE=1 with those on an API server
	tools/check.sh

measure: ## the figures of docs/performance.md, in a clone with empty caches; PARTS="command files" are two of them
	@tools/measure.sh $(PARTS)

tidy: ## go mod tidy in every module, with this checkout for the modules that are not released yet
	cd conditions && GOWORK=off go mod tidy
	go mod edit -replace github.com/tristate/tristate/conditions=./conditions
	GOWORK=off go mod tidy; status=$$?; go mod edit -dropreplace github.com/tristate/tristate/conditions; exit $$status
	for m in $(filter-out . conditions,$(MODULES)) proof/partners $(EXPORTS); do (cd $$m && go mod tidy); done

bin/lint: tools/lint/go.mod
	mkdir -p $@; GOWORK=off GOBIN=$(CURDIR)/$@ go -C tools/lint install tool; touch $@

# Every module is looked at, also after a finding in another one. Tests misspell on purpose.
lint: bin/lint ## of test-rest: gofmt, go vet, staticcheck, revive, misspell over every module, and the rules of the house
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	git ls-files '*.go' '*.md' '*.yaml' | grep -vE '_test\.go|testdata' | xargs $(LINT)/misspell -error
	failed=; for m in $(MODULES); do (cd $$m; go vet ./... && $(LINT)/staticcheck ./... && \
		$(LINT)/revive -config $(CURDIR)/tools/lint/revive.toml -set_exit_status ./...) || failed="$$failed $$m"; done; test -z "$$failed"
	$(GOTEST) ./proof/house

gen: $(MANIFESTS) internal/cli/testdata/chart/rendered.yaml ## write the generated files again
	go generate ./...
	for m in $(OPERATORS); do (cd systems/$$m/operator && go generate ./...); done

# The page is built with Node, and committed; Go alone builds the command. CI has Node and finds a difference.
page: ## the page of tristate ui, from internal/cli/page/source to internal/cli/page/dist; needs Node 20.19
	cd internal/cli/page/source && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

# VitePress fails on a link to a page that does not exist; TestLinks has the anchors and the links to files.
site: ## the pages of docs as a static site in dist/site, by VitePress; needs Node 20.19
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
systems/%/operator/deploy/install.yaml: systems/%/operator/deploy/namespace.yaml $(shell find -L deploy/operator systems/*/operator/deploy/chart -type f)
	{ cat $<; $(HELM) template $*-operator systems/$*/operator/deploy/chart --namespace $*-system --kube-version 1.36.0 2>/dev/null | grep -vE 'managed-by: Helm|^# Source: '; } > $@.tmp
	mv $@.tmp $@

# What the chart makes with every value switched on, for its test.
%/chart/rendered.yaml: %/chart/values.yaml $(shell find deploy/chart -type f)
	$(HELM) template edge deploy/chart --namespace tristate-system --kube-version 1.36.0 --values $< > $@.tmp
	mv $@.tmp $@

release: ## archives, chart, manifests, checksums, SBOMs and provenance in dist/; VERSION=vX.Y.Z
	go run ./tools/release -version $(or $(VERSION),v0.0.0-dev) -out dist

# The programs that run in a cluster, as NAME=FOLDER, with further programs of the image after a +.
IMAGES := tristate=cmd/tristate+cmd/tristate-scan kars-operator=systems/kars/operator/cmd/kars-operator kars-router=systems/kars/operator/cmd/kars-router \
	kars-eval-runner=systems/kars/operator/cmd/kars-eval-runner vworkspace-operator=systems/vworkspace/operator/cmd/vworkspace-operator kro-operator=systems/kro/operator/cmd/kro-operator

images: ## OCI image layouts of the programs that run in a cluster, in dist/images; VERSION=vX.Y.Z
	go run -C tools/image . -out $(CURDIR)/dist/images -version $(or $(VERSION),v0.0.0-dev) $(foreach i,$(IMAGES),$(subst +,+$(CURDIR)/,$(subst =,=$(CURDIR)/,$(i))))

# Rows of known bugs, at random for five minutes; ROWS=regexp chooses.
record: $(LOCALPLANE) ## of test-rest: brings known bugs back, each must turn its test red; ALL=1 runs all rows
	TRISTATE_REQUIRE_PLANE=1 go run ./proof/record $(if $(ALL),-all) $(if $(ROWS),-rows '$(ROWS)')

bench: ## side by side with the upstream libraries, as ratios
	cd proof/bench && go run ./cmd/table

clean: ## remove what was built
	rm -rf bin dist .cache

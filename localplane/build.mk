# The local control plane, built once and again only when its sources change. Included by the Makefile of the repository
# root; build.sh makes concurrent builds safe.

LOCALPLANE_SOURCES := $(shell find localplane -name '*.go' ! -name '*_test.go') \
	localplane/go.mod localplane/go.sum localplane/build.sh tools/gobuild.sh

bin/localplane: $(LOCALPLANE_SOURCES)
	@localplane/build.sh $@

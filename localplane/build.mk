# The local control plane. build.sh decides whether it is built again: when its sources have changed, or it was damaged. Included by the
# Makefile of the repository root; build.sh makes concurrent builds safe.

.PHONY: localplane-asked
bin/localplane: localplane-asked
	@localplane/build.sh $@

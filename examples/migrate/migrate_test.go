// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/examples/migrate/bucket"
	"github.com/tristate/tristate/examples/migrate/machine"
	"github.com/tristate/tristate/examples/migrate/nodepool"
	"github.com/tristate/tristate/examples/migrate/service"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func machineOf(m Machine) conditions.Result {
	p := machine.BeginList(1, nil, now)
	JudgeMachine(p, m)
	return p.Commit()
}

func bucketOf(b Bucket) conditions.Result {
	p := bucket.BeginList(1, nil, now)
	JudgeBucket(p, b)
	return p.Commit()
}

func serviceOf(s Service) conditions.Result {
	p := service.BeginList(1, nil, now)
	JudgeService(p, s)
	return p.Commit()
}

func nodePoolOf(n NodePool) conditions.Result {
	p := nodepool.BeginList(1, nil, now)
	JudgeNodePool(p, n)
	return p.Commit()
}

func TestMigrated(t *testing.T) {
	yes, failed := true, errors.New("it failed")
	tests := map[string]struct {
		result conditions.Result
		want   []string
	}{
		"machine, well": {machineOf(Machine{Bootstrap: true}),
			[]string{"Ready=True Ready", "InfrastructureReady=True Provisioned", "BootstrapReady=True Stored"}},
		"machine, refused and going": {machineOf(Machine{Bootstrap: true, CloudError: failed, Draining: 2}),
			[]string{"Ready=False NotReady", "InfrastructureReady=False Failed it failed", "BootstrapReady=True Stored", "Deleting=True Draining 2 pods left"}},
		"bucket, well": {bucketOf(Bucket{Stored: "1", Latest: "1"}),
			[]string{"Ready=True Succeeded", "ArtifactInStorage=True Succeeded stored revision 1"}},
		"bucket, a new revision": {bucketOf(Bucket{Stored: "1", Latest: "2"}),
			[]string{"Ready=Unknown NewRevision", "ArtifactInStorage=Unknown NewRevision fetching revision 2", "Reconciling=True NewRevision"}},
		"bucket, refused": {bucketOf(Bucket{AuthError: failed, Stored: "1", Latest: "1"}),
			[]string{"Ready=False AuthenticationFailed", "ArtifactInStorage=True Succeeded stored revision 1", "FetchFailed=True AuthenticationFailed it failed", "Stalled=True AuthenticationFailed"}},
		"service, well": {serviceOf(Service{Revision: "a"}),
			[]string{"Ready=True Ready", "ConfigurationsReady=True Ready", "RoutesReady=True Ready"}},
		"service, migrating after a failure": {serviceOf(Service{Revision: "a", RevisionError: failed, Migrating: true}),
			[]string{"Ready=False RevisionFailed", "ConfigurationsReady=False RevisionFailed it failed", "RoutesReady=Unknown TrafficNotMigrated traffic is not at a"}},
		"node pool, well": {nodePoolOf(NodePool{Found: true, Class: &yes}),
			[]string{"Ready=True Ready", "ValidationSucceeded=True ValidationSucceeded", "NodeClassReady=True NodeClassReady"}},
		"node pool, no class": {nodePoolOf(NodePool{}),
			[]string{"Ready=False NodeClassNotFound", "ValidationSucceeded=True ValidationSucceeded", "NodeClassReady=False NodeClassNotFound the node class does not exist"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range test.result.Conditions() {
				line := fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)
				if c.Type != "Ready" && c.Type != "Reconciling" && c.Type != "Stalled" {
					line += " " + c.Message
				}
				got = append(got, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			for _, err := range test.result.Errors {
				t.Error(err)
			}
		})
	}
}

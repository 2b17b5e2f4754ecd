// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// rollout is a Deployment in its second revision, with a ReplicaSet and a pod of each. Replicas, the status of the new ReplicaSet and the
// containers of the pods are open.
const rollout = `
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: a, uid: d, generation: 2, annotations: {deployment.kubernetes.io/revision: "2"}},
   spec: {replicas: 2}, status: {observedGeneration: 2, replicas: %d, unavailableReplicas: 1}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: a, uid: r1, annotations: {deployment.kubernetes.io/revision: "1"},
   ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: 1}, status: {replicas: 1}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-2, namespace: a, uid: r2, annotations: {deployment.kubernetes.io/revision: "2"},
   ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: 1}, status: {%s}}
- {apiVersion: v1, kind: Pod, metadata: {name: web-1-x, namespace: a, uid: p1,
   ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r1, controller: true}]}, spec: {}, status: {phase: Pending, containerStatuses: [%s]}}
- {apiVersion: v1, kind: Pod, metadata: {name: web-2-x, namespace: a, uid: p2,
   ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-2, uid: r2, controller: true}]}, spec: {}, status: {phase: Pending, containerStatuses: [%s]}}
`

// TestBlocked: waiting does not mend an image that cannot be pulled, a crash loop past its budget and a quota, in the revision that is
// rolled out.
func TestBlocked(t *testing.T) {
	const (
		ready   = `{name: a, ready: true, restartCount: 0}`
		pull    = `{name: a, ready: false, restartCount: 0, state: {waiting: {reason: ImagePullBackOff, message: Back-off pulling image}}}`
		creates = `{name: a, ready: false, restartCount: 0, state: {waiting: {reason: ContainerCreating}}}`
		config  = `{name: a, ready: false, restartCount: 0, state: {waiting: {reason: CreateContainerConfigError, message: secret "s" not found}}}`
		crash   = `{name: a, ready: false, restartCount: %d, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}}`
		refused = `conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: 'pods "web-2-y" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'}]`
		webhook = `conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: 'failed calling webhook "a.example.com": connection refused'}]`
	)
	tests := map[string]struct {
		replicas      int
		set, old, new string
		want          string
	}{
		"image":                      {2, "replicas: 1", ready, pull, "Pod/web-2-x ImagePullBackOff"},
		"image of the old revision":  {2, "replicas: 1", pull, creates, ""},
		"starting":                   {2, "replicas: 1", ready, creates, ""},
		"a Secret that may come":     {2, "replicas: 1", ready, config, ""},
		"crash loop":                 {2, "replicas: 1", ready, fmt.Sprintf(crash, 5), "Pod/web-2-x CrashLoopBackOff"},
		"crash loop, within budget":  {2, "replicas: 1", ready, fmt.Sprintf(crash, 4), ""},
		"quota":                      {0, refused, ready, ready, "ReplicaSet/web-2 FailedCreate"},
		"quota, an old pod may go":   {1, refused, ready, ready, ""},
		"a webhook that may be back": {0, webhook, ready, ready, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var contents []map[string]any
			if err := yaml.Unmarshal(fmt.Appendf(nil, rollout, test.replicas, test.set, test.old, test.new), &contents); err != nil {
				t.Fatal(err)
			}
			set, err := catalog.Load(nil)
			if err != nil {
				t.Fatal(err)
			}
			g := relation.New(set)
			for _, c := range contents {
				g.Put(relation.FromContent(c))
			}
			v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(set), set, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
			got := ""
			web := relation.ID{GroupKind: schema.GroupKind{Group: "apps", Kind: "Deployment"}, Namespace: "a", Name: "web"}
			if b := v.Blocked(g.Get(web)); b != nil {
				got = b.Kind + "/" + b.Name + " " + b.Reason
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

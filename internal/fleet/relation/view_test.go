// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fieldVerdict returns the judgement in the fields of an object; without the field verdict it is Current.
func fieldVerdict(o *relation.Object) relation.Judgement {
	j := relation.Judgement{Verdict: "Current", Ready: true}
	if word, ok := o.Content["verdict"].(string); ok {
		j.Verdict, j.Ready = verdict.Status(word), false
	}
	j.Reason, _ = o.Content["reason"].(string)
	j.Message, _ = o.Content["message"].(string)
	return j
}

// treeText returns a tree as text: a line for each node, with its edge.
func treeText(n *relation.Node) string {
	var b strings.Builder
	var draw func(n *relation.Node, indent string)
	draw = func(n *relation.Node, indent string) {
		fmt.Fprintf(&b, "%s%s/%s", indent, n.Kind, n.Name)
		if n.Edge != "" {
			fmt.Fprintf(&b, " (%s)", n.Edge)
		}
		if n.Missing() {
			b.WriteString(" missing")
		}
		if n.Again {
			b.WriteString(" again")
		}
		b.WriteString("\n")
		for _, child := range n.Children {
			draw(child, indent+"  ")
		}
	}
	if n != nil {
		draw(n, "")
	}
	return b.String()
}

// world puts the objects of a text, one a line, into a graph, as put does.
func world(t testing.TB, g *relation.Graph, text string) relation.ID {
	t.Helper()
	return put(t, g, strings.Split(strings.TrimSpace(text), "\n"))
}

// put puts YAML documents into a graph, in any order, and returns the name of the first. Objects without a namespace are in namespace a,
// unless their field cluster is set.
func put(t testing.TB, g *relation.Graph, documents []string) relation.ID {
	t.Helper()
	var objects []*relation.Object
	for _, document := range documents {
		o := object(t, document)
		if o.Namespace == "" && o.Content["cluster"] == nil {
			o.Content["metadata"].(map[string]any)["namespace"] = "a"
			o = relation.FromContent(o.Content)
		}
		objects = append(objects, o)
	}
	root := objects[0].ID
	rand.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	for _, o := range objects {
		g.Put(o)
	}
	return root
}

const owned = `ownerReferences: [{apiVersion: %s, kind: %s, name: %s}]`

func by(apiVersion, kind, name string) string { return fmt.Sprintf(owned, apiVersion, kind, name) }

// TestTrees: the tree of each case of testdata/trees, whatever the order in which its objects arrive.
func TestTrees(t *testing.T) {
	files, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var documents []string
		for _, f := range archive.Files {
			way := path.Ext(f.Name)
			if way == ".yaml" {
				documents = strings.Split(string(f.Data), "---\n")
				continue
			}
			t.Run(strings.TrimSuffix(f.Name, way), func(t *testing.T) {
				for range 3 {
					g := relation.New(nil)
					root := put(t, g, documents)
					v := relation.View{Graph: g, Judge: fieldVerdict, Up: way == ".up", All: way == ".all"}
					if diff := cmp.Diff(string(f.Data), treeText(v.Build(root))); diff != "" {
						t.Fatalf("-want +got\n%s", diff)
					}
				}
			})
		}
	}
}

// TestDeclaredAndWellKnown: the relations that users declare for a kind are added to the well-known ones.
func TestDeclaredAndWellKnown(t *testing.T) {
	g := relation.New(set(t, `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: deployments.apps}
spec:
  for: {group: apps, kind: Deployment}
  relations:
    database: {kind: Database.example.dev, ref: "self.metadata.annotations['example.dev/database']", meaning: The database that it needs.}
    guards: {kind: Guard.example.dev, refBy: item.spec.workload, tree: below}
`))
	root := world(t, g, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {example.dev/database: gone}}}
{apiVersion: example.dev/v1, kind: Database, metadata: {name: other}}
{apiVersion: example.dev/v1, kind: Guard, metadata: {name: g}, spec: {workload: web}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, `+by("apps/v1", "Deployment", "web")+`}}`)
	want := `Deployment/web
  Database/gone (database) missing
  Guard/g (guards)
  ReplicaSet/web-1 (owner)
`
	if diff := cmp.Diff(want, treeText(relation.Build(g, root, fieldVerdict))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestTops: the objects that are below no other; of a circle the first.
func TestTops(t *testing.T) {
	g := relation.New(nil)
	world(t, g, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, `+by("apps/v1", "Deployment", "web")+`}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
{apiVersion: example.org/v1, kind: Circle, metadata: {name: a}, spec: {ref: {apiVersion: example.org/v1, kind: Circle, name: b}}}
{apiVersion: example.org/v1, kind: Circle, metadata: {name: b}, spec: {ref: {apiVersion: example.org/v1, kind: Circle, name: a}}}
{apiVersion: example.org/v1, kind: Own, metadata: {name: o, `+by("example.org/v1", "Own", "o")+`}}`)
	var all []relation.ID
	for _, o := range g.All() {
		all = append(all, o.ID)
	}
	var got []string
	for _, id := range (&relation.View{Graph: g, Judge: fieldVerdict}).Tops(all) {
		got = append(got, id.Kind+"/"+id.Name)
	}
	if diff := cmp.Diff([]string{"ConfigMap/c", "Deployment/web", "Circle/a", "Own/o"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// kinds returns references to kinds as "KIND.GROUP in NAMESPACE".
func kinds(ids []relation.ID) (out []string) {
	for _, id := range ids {
		text := id.GroupKind.String()
		if id.Namespace != "" {
			text += " in " + id.Namespace
		}
		out = append(out, text)
	}
	return out
}

// TestWanted: the kinds of which a tree needs more objects, until they are covered.
func TestWanted(t *testing.T) {
	tests := map[string]struct {
		objects string
		up      bool
		want    []string
	}{
		"a workload": {
			objects: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
`,
			want: []string{"ReplicaSet.apps in a"},
		},
		"a healthy pod": {
			objects: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  serviceAccountName: s
  volumes:
  - persistentVolumeClaim: {claimName: c}
`,
			want: []string{"PersistentVolumeClaim in a"},
		},
		"an unhealthy pod": {
			objects: `
apiVersion: v1
kind: Pod
metadata: {name: p}
verdict: Failed
spec:
  serviceAccountName: s
  volumes:
  - configMap: {name: c}
`,
			want: []string{"ConfigMap in a", "ServiceAccount in a"},
		},
		"an inventory": {
			objects: `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app}
status:
  resources:
  - {kind: Service, namespace: b, name: s}
  - {group: apps, kind: Deployment, namespace: c, name: web}
`,
			want: []string{"Service in b", "Deployment.apps in c"},
		},
		"an apply set": {
			objects: `
apiVersion: v1
kind: Secret
metadata:
  name: set
  labels: {applyset.kubernetes.io/id: x}
  annotations: {applyset.kubernetes.io/contains-group-kinds: 'ConfigMap,Deployment.apps'}
`,
			want: []string{"ConfigMap", "Deployment.apps"},
		},
		"a kind of which nothing is known": {
			objects: `
apiVersion: example.org/v1
kind: Thing
metadata: {name: t}
`,
			want: []string{"Pod in a"},
		},
		"upwards": {
			up: true,
			objects: `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: s
  ownerReferences:
  - {apiVersion: example.org/v1, kind: Thing, name: t}
`,
			want: []string{
				"Pod in a",
				"DaemonSet.apps in a",
				"ReplicaSet.apps in a",
				"StatefulSet.apps in a",
				"Application.argoproj.io in a",
				"HorizontalPodAutoscaler.autoscaling in a",
				"Job.batch in a",
				"EndpointSlice.discovery.k8s.io in a",
				"Thing.example.org in a",
				"ClusterRoleBinding.rbac.authorization.k8s.io in a",
				"RoleBinding.rbac.authorization.k8s.io in a",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := relation.New(nil)
			root := put(t, g, strings.Split(test.objects, "---\n"))
			v := relation.View{Graph: g, Judge: fieldVerdict, Up: test.up,
				Candidates: func(schema.GroupKind) []schema.GroupKind { return []schema.GroupKind{{Kind: "Pod"}} }}
			if diff := cmp.Diff(test.want, kinds(ids(v.Wanted([]relation.ID{root})))); diff != "" {
				t.Fatalf("-want +got\n%s", diff)
			}
			for _, w := range v.Wanted([]relation.ID{root}) {
				g.Cover(w.GroupKind, w.Namespace)
			}
			if got := v.Wanted([]relation.ID{root}); len(got) != 0 {
				t.Errorf("what is covered is not wanted again: %v", got)
			}
		})
	}
}

// TestNeeded: of what healthy objects refer to, the kinds are wanted whose objects have to exist.
func TestNeeded(t *testing.T) {
	tests := map[string]struct {
		objects string
		up      bool
		want    []string
	}{
		"a healthy pod": {
			objects: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  serviceAccountName: s
  nodeName: n
  volumes:
  - secret: {secretName: x}
  - configMap: {name: perhaps, optional: true}
`,
			want: []string{"Secret in a", "ServiceAccount in a"},
		},
		"an unhealthy pod": {
			objects: `
apiVersion: v1
kind: Pod
metadata: {name: p}
verdict: Failed
spec:
  serviceAccountName: s
  nodeName: n
  volumes:
  - secret: {secretName: x}
  - configMap: {name: perhaps, optional: true}
`,
		},
		"a pod that has succeeded": {
			objects: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  serviceAccountName: s
  nodeName: n
  volumes:
  - secret: {secretName: x}
  - configMap: {name: perhaps, optional: true}
status: {phase: Succeeded}
`,
		},
		"upwards": {
			up: true,
			objects: `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  serviceAccountName: s
  nodeName: n
  volumes:
  - secret: {secretName: x}
  - configMap: {name: perhaps, optional: true}
`,
		},
		"a ReplicaSet that is kept for a rollback": {
			objects: `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: d
  uid: u
  annotations: {deployment.kubernetes.io/revision: '2'}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: r
  annotations: {deployment.kubernetes.io/revision: '1'}
  ownerReferences:
  - {apiVersion: apps/v1, kind: Deployment, name: d}
spec:
  replicas: 0
  template:
    spec:
      serviceAccountName: s
      nodeName: n
      volumes:
      - secret: {secretName: x}
      - configMap: {name: perhaps, optional: true}
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := relation.New(nil)
			root := put(t, g, strings.Split(test.objects, "---\n"))
			v := relation.View{Graph: g, Judge: fieldVerdict, Up: test.up}
			got := v.Needed([]relation.ID{root})
			if diff := cmp.Diff(test.want, kinds(ids(got))); diff != "" {
				t.Fatalf("-want +got\n%s", diff)
			}
			for _, w := range got {
				g.Cover(w.GroupKind, w.Namespace)
			}
			if again := v.Needed([]relation.ID{root}); len(again) != 0 {
				t.Errorf("what is covered is needed again: %v", again)
			}
		})
	}
}

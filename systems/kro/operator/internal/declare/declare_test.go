// SPDX-License-Identifier: Apache-2.0

package declare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/runtime"
)

// definition is a definition with a status block and an annotation.
func definition(status, annotation string) *v1alpha1.ResourceGraphDefinition {
	rgd := &v1alpha1.ResourceGraphDefinition{}
	rgd.Name = "shop"
	rgd.Spec.Schema = &v1alpha1.Schema{Group: "kro.run", APIVersion: "v1alpha1", Kind: "Shop",
		Status: runtime.RawExtension{Raw: []byte(status)}}
	if annotation != "" {
		rgd.Spec.Schema.Metadata = &v1alpha1.CRDMetadata{Annotations: map[string]string{Annotation: annotation}}
	}
	return rgd
}

// TestOf: the types of a catalog, which of them Ready counts, and their polarity.
func TestOf(t *testing.T) {
	made := `{"url": "${svc.spec.clusterIP}", "conditions": ["${runtime.newCondition({type: 'DatabaseReachable', status: 'True', reason: 'Ok'})}",
		"${svc.spec.ports.map(p, runtime.newCondition({type: 'Port' + p.name, status: 'True', reason: 'Ok'}))}"]}`
	base := []string{InstanceManaged, GraphResolved, InstanceSynced, ResourcesReady}
	tests := map[string]struct {
		status, annotation string
		counts             []string // in Ready
		negative           []string
		informs            []string // custom ones that do not count
	}{
		"no custom condition":      {status: `{}`, counts: base},
		"custom conditions inform": {status: made, counts: base, informs: []string{"DatabaseReachable"}},
		"a custom condition counts": {status: made, annotation: "- {type: DatabaseReachable, role: dependent}",
			counts: append(base[:4:4], "DatabaseReachable")},
		"negative, not made by a literal": {status: made, annotation: "[{type: BackupOverdue, role: dependent, polarity: negative}]",
			counts: append(base[:4:4], "BackupOverdue"), negative: []string{"BackupOverdue"}, informs: []string{"DatabaseReachable"}},
		"an author's own Ready counts": {status: `{"conditions": ["${runtime.newCondition({type: 'Ready', status: 'True', reason: 'Ok'})}"]}`,
			counts: append(base[:4:4], "CustomReady")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k, err := Of(definition(tt.status, tt.annotation), []string{"web", "svc"})
			if err != nil {
				t.Fatal(err)
			}
			var counts, negative, informs []string
			for _, c := range k.Conditions.Types {
				switch {
				case c.Name == Ready:
					counts = c.Summary.Of
				case c.Name == ResourcesReady:
					if diff := cmp.Diff([]string{ResourceType("web"), ResourceType("svc")}, c.Summary.Of); diff != "" {
						t.Errorf("ResourcesReady (-want +got):\n%s", diff)
					}
				case c.Polarity == conditions.Negative:
					negative = append(negative, c.Name)
				case c.Role == conditions.RoleInformational && !strings.Contains(c.Name, "/"):
					informs = append(informs, c.Name)
				}
			}
			if diff := cmp.Diff([][]string{tt.counts, tt.negative, tt.informs}, [][]string{counts, negative, informs}); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			if errs := k.Conditions.Validate(); errs != nil {
				t.Error(errs)
			}
		})
	}
}

// TestOf_wrong: what is wrong with an annotation is an error that names it.
func TestOf_wrong(t *testing.T) {
	tests := map[string]struct{ annotation, want string }{
		"unknown key": {"[{type: A, roll: dependent}]", `unknown field "roll"`},
		"role":        {"[{type: A, role: summary}]", `role "summary" is neither dependent nor informational`},
		"polarity":    {"[{type: A, polarity: neutral}]", `polarity "neutral" is neither positive nor negative`},
		"twice":       {"[{type: A}, {type: A}]", "A is declared twice"},
		"no type":     {"[{type: a b}]", `"a b" is no condition type`},
		"kept by kro": {"[{type: Ready}]", "Ready is kept by kro"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Of(definition(`{}`, tt.annotation), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestOf_references: an object that the graph only refers to is a relation, where its name follows from the instance.
func TestOf_references(t *testing.T) {
	tests := map[string]struct {
		name, namespace string
		want            string // the expression; empty: there is no relation
	}{
		"constant": {name: "settings", want: `{'name': "settings", 'namespace': ""}`},
		"after the instance": {name: "${schema.metadata.name}-db",
			want: `{'name': "" + string(self.metadata.name) + "-db", 'namespace': ""}`},
		"a field": {name: "a-${ schema.spec.db.name }", namespace: "${schema.spec.where}",
			want: `{'name': "a-" + string(self.spec.db.name) + "", 'namespace': "" + string(self.spec.where) + ""}`},
		"another resource":             {name: "${web.metadata.name}"},
		"more than a field":            {name: "${schema.spec.name + 'x'}"},
		"the namespace of another":     {name: "settings", namespace: "${web.metadata.namespace}"},
		"a word that CEL has reserved": {name: "${schema.spec.in}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rgd := definition(`{}`, "")
			rgd.Spec.Resources = []*v1alpha1.Resource{{ID: "db", ExternalRef: &v1alpha1.ExternalRef{APIVersion: "apps/v1", Kind: "Deployment",
				Metadata: v1alpha1.ExternalRefMetadata{Name: tt.name, Namespace: tt.namespace}}}}
			k, err := Of(rgd, []string{"db"})
			if err != nil {
				t.Fatal(err)
			}
			r, ok := k.Document.Spec.Relations["db"]
			if ok != (tt.want != "") || r.Ref != tt.want {
				t.Errorf("relation %v: %s, want %s", ok, r.Ref, tt.want)
			}
			if ok && r.Kind != "Deployment.apps" {
				t.Errorf("it is of kind %s", r.Kind)
			}
		})
	}
}

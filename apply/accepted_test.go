// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/proof/plane"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// cases is the size of the sample: one write each.
const cases = 300

// things makes a kind with the conditions schema of the example, and gives a client for it.
func things(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	config := plane.ForTest(t)
	data, err := os.ReadFile("../examples/toolpolicy/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		t.Fatal(err)
	}
	crd.Name, crd.Spec.Group = "things.accepted.example.dev", "accepted.example.dev"
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", ListKind: "ThingList", Plural: "things", Singular: "thing"}
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{crd},
		MaxTime: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	fast := rest.CopyConfig(config)
	fast.QPS = -1
	client, err := dynamic.NewForConfig(fast)
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(schema.GroupVersionResource{Group: crd.Spec.Group, Version: "v1", Resource: "things"}).Namespace(plane.Namespace(t,
		config))
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

var (
	anyType = []string{"Ready", "Synced", "example.com/Synced", "Degraded", "no type", "a/b/c", "UPPER.com/X", "-x", "x-",
		strings.Repeat("t", 64),
		strings.Repeat("a.", 150) + "a/X", "é", "Former"}
	anyReason = []string{"Fine", "Broken", "Waiting", "", "no reason", "Broken @ Pod/p", "1st", "ends:", "a,b:c_", strings.Repeat("R", 1024),
		strings.Repeat("R", 1025), "é", "a\x00b", "\xff"}
	anyMessage = []string{"", "words", "a\x00b", "\xff\xfe", "\u2028", strings.Repeat("é", 20000), strings.Repeat("a€", 40000),
		strings.Repeat("x", wire.MaxMessageBytes), strings.Repeat("\xff", 40000)}
)

func declaration(r *rand.Rand) *conditions.Kind {
	k := &conditions.Kind{Kind: "Thing", Dialect: pick(r, conditions.DialectCore, conditions.DialectKstatus, conditions.DialectGateway),
		Retired: []string{"Former"}}
	for _, i := range r.Perm(len(anyType))[:r.IntN(6)+1] {
		t := conditions.Type{
			Name: anyType[i], Polarity: pick(r, conditions.Positive, conditions.Negative, conditions.Neutral),
			Role:     pick(r, conditions.RoleDependent, conditions.RoleInformational),
			Presence: pick(r, conditions.PresenceAlways, conditions.PresenceWhenKnown, conditions.PresenceOnceTrue), Imported: r.IntN(2) == 0,
		}
		for range r.IntN(4) {
			t.Reasons = append(t.Reasons, conditions.Reason{Name: pick(r, anyReason...), Status: pick(r, conditions.True, conditions.False,
				conditions.Unknown)})
		}
		if r.IntN(3) == 0 {
			t.Role, t.Summary = conditions.RoleSummary, &conditions.Summary{Counter: r.IntN(2) == 0}
		}
		k.Types = append(k.Types, t)
	}
	return k
}

func reportAny(r *rand.Rand, k *conditions.Kind, pass *conditions.Pass) {
	for range r.IntN(10) {
		name := k.Types[r.IntN(len(k.Types))].Name
		status := pick(r, conditions.True, conditions.False, conditions.Unknown, "", "maybe")
		switch r.IntN(3) {
		case 0:
			var c conditions.Condition
			c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration = name, status, pick(r, anyReason...), pick(r, anyMessage...), -3
			pass.ReportCondition(c)
		case 1:
			pass.ReportError(name, &conditions.Fault{Reason: pick(r, anyReason...)})
		default:
			pass.Report(name, status, pick(r, anyReason...), pick(r, anyMessage...))
		}
	}
}

// TestWhatIsWrittenIsAccepted: a real API server, with the schema of metav1.Condition, is the judge of what package conditions writes for
// hostile declarations, stored lists and facts; the laws of package conditions judge many more cases by apimachinery's validation. It
// writes the results of random passes, one after another over what is stored, to one object; what is read back is what was written, and a
// pass over it that says nothing new has nothing to write.
func TestWhatIsWrittenIsAccepted(t *testing.T) {
	t.Parallel()
	client := things(t)
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "accepted.example.dev/v1", "kind": "Thing",
		"metadata": map[string]any{"name": "thing"}}}
	object, err := client.Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	for i := range cases {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		k := declaration(r)
		raw, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		list, errs := wire.FromUnstructured(raw)
		if len(errs) > 0 {
			t.Fatalf("case %d: what was stored cannot be read: %v", i, errs)
		}
		now := time.Date(2026, 1, 2, 3, 4, i, 123, time.UTC)
		pass := k.Begin(int64(i)+pick[int64](r, 1, 1, 1, -2), list, now)
		reportAny(r, k, pass)
		result := pass.Commit()
		if !result.Changed {
			continue
		}
		var written []any
		for _, c := range result.Conditions() {
			written = append(written, wire.ToUnstructured(c, k.Dialect))
		}
		if err := unstructured.SetNestedSlice(object.Object, written, "status", "conditions"); err != nil {
			t.Fatal(err)
		}
		stored, err := client.UpdateStatus(t.Context(), object, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict})
		if err != nil {
			t.Fatalf("case %d: the API server refuses what was committed: %v", i, err)
		}
		writes++
		back, _, _ := unstructured.NestedSlice(stored.Object, "status", "conditions")
		if diff := cmp.Diff(written, back); diff != "" {
			t.Errorf("case %d: read back (-written +stored):\n%s", i, diff)
		}
		object = stored
	}
	if writes < cases/2 {
		t.Errorf("only %d of %d cases wrote something", writes, cases)
	}
	t.Logf("%d writes of %d cases accepted", writes, cases)
}

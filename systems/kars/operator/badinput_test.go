// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// storedBeforeRules: objects that were stored before a rule of the definitions existed get the documented reason from an operator that
// starts when the rules are there. So does a profile that grows without bound when its aliases are followed, which no rule can refuse.
func storedBeforeRules(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	bundle := &api.ArtifactRef{Registry: w.registry, Repository: "lists", Digest: "sha256:" + strings.Repeat("0", 64)}
	grown := newToolPolicy(ns, "grown")
	grown.Spec.AgtProfile.Inline = bomb()
	blank := newToolPolicy(ns, "blank")
	blank.Spec.AgtProfile.Inline = ""
	less := newInferencePolicy(ns, "less")
	less.Spec.TokenBudget.DailyTokens, less.Spec.TokenBudget.MonthlyTokens = 100, 10
	byo := newSandbox(ns, "byo")
	byo.Spec.Runtime.Kind = "BYO"
	unknown := newSandbox(ns, "unknown")
	unknown.Spec.Runtime.Kind = "Nothing"
	// The document's table of Degraded has SpecInvalid for two kinds; the others say it in Ready, and Degraded says nothing.
	invalid, failing := []string{"Ready=False SpecInvalid", "!Degraded"}, []string{"Ready=False SpecInvalid", "Degraded=True SpecInvalid"}
	tests := []struct {
		object  client.Object
		want    []string
		allowed bool // by the rules as well: the operator has to find out
	}{
		{grown, invalid, true},
		{blank, invalid, false},
		{less, invalid, false},
		{&api.A2AAgent{ObjectMeta: meta(ns, "plain"), Spec: api.A2AAgentSpec{EndpointURL: "http://agent.example.com", ProductionMode: true}},
			invalid, false},
		{&api.McpServer{ObjectMeta: meta(ns, "nobody"), Spec: api.McpServerSpec{URL: "https://mcp.example.com", ProductionMode: true}}, invalid,
			false},
		{&api.KarsMemory{ObjectMeta: meta(ns, "upper"), Spec: api.KarsMemorySpec{StoreName: "Notes"}}, invalid, true},
		{&api.KarsEval{ObjectMeta: meta(ns, "both"), Spec: api.KarsEvalSpec{TargetSandboxRef: api.NameRef{Name: "byo"},
			Corpus: api.CorpusSource{Builtin: "banned-tools", BundleRef: bundle}}}, failing, false},
		{&api.TrustGraph{ObjectMeta: meta("", "empty")}, failing, false},
		{&api.EgressApproval{ObjectMeta: meta(ns, "empty")}, []string{"Ready=False ReasonInvalid", "Degraded=True ReasonInvalid"}, false},
		{byo, invalid, true},
		{unknown, []string{"Ready=False AdapterMissing", "RuntimeReady=False AdapterMissing", "!Degraded"}, true},
	}
	// The definitions as they were before they had rules.
	if err := apiextensionsv1.AddToScheme(w.API.Scheme()); err != nil {
		t.Fatal(err)
	}
	var definitions apiextensionsv1.CustomResourceDefinitionList
	if err := w.API.List(t.Context(), &definitions); err != nil {
		t.Fatal(err)
	}
	rules := map[string][]apiextensionsv1.CustomResourceDefinitionVersion{}
	for i := range definitions.Items {
		d := &definitions.Items[i]
		rules[d.Name] = d.DeepCopy().Spec.Versions
		world.Edit(t, w.World, d, func(d *apiextensionsv1.CustomResourceDefinition) {
			for i := range d.Spec.Versions {
				root := d.Spec.Versions[i].Schema.OpenAPIV3Schema
				spec := root.Properties["spec"]
				relax(&spec)
				root.Properties["spec"], root.XValidations, root.Required = spec, nil, nil
			}
		})
	}
	for _, test := range tests {
		world.Eventually(t, func() error { return w.API.Create(t.Context(), test.object) }) // once the API server has the schema
	}
	for i := range definitions.Items {
		world.Edit(t, w.World, &definitions.Items[i], func(d *apiextensionsv1.CustomResourceDefinition) { d.Spec.Versions = rules[d.Name] })
	}
	world.Eventually(t, func() (err error) { // once the API server has the rules
		for _, test := range tests {
			again := test.object.DeepCopyObject().(client.Object)
			again.SetName("again")
			again.SetResourceVersion("")
			again.SetUID("")
			if refusal := w.API.Create(t.Context(), again, client.DryRunAll); apierrors.IsInvalid(refusal) == test.allowed {
				err = errors.Join(err, fmt.Errorf("%s: is it allowed: %v, want %v", world.Key(test.object), refusal, test.allowed))
			}
		}
		return err
	})
	w.run(t)
	for _, test := range tests {
		world.Eventually(t, func() error {
			for _, want := range test.want {
				absent, is := strings.CutPrefix(want, "!")
				conditionType, _, _ := strings.Cut(absent, "=")
				c := w.Condition(t, test.object, conditionType)
				if is && c == nil {
					continue
				}
				if c == nil || fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason) != want {
					return fmt.Errorf("%s: want %s, have %+v", world.Key(test.object), want, c)
				}
			}
			return nil
		})
	}
}

// bomb returns a YAML document of a kilobyte with nine to the tenth strings in it.
func bomb() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		text += fmt.Sprintf("a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	return text
}

// relax takes the rules out of a schema.
func relax(s *apiextensionsv1.JSONSchemaProps) {
	s.XValidations, s.Enum, s.Pattern, s.Required = nil, nil, "", nil
	s.MinLength, s.MinItems, s.MinProperties, s.Minimum = nil, nil, nil, nil
	for name, p := range s.Properties {
		relax(&p)
		s.Properties[name] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		relax(s.Items.Schema)
		s.Items.Schema.Required = s.XListMapKeys // which a list as a map needs
	}
}

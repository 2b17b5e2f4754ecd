// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/tristate/tristate/proof/world"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// witness are the texts of a run in which no secret may be.
type witness struct {
	log      world.Log
	measured world.Log // metrics of operators that have ended
	journals world.Log
}

// logged writes the log of the operator to the witness, with its details. From level 6 on the client of Kubernetes prints requests and
// bodies of its own accord; the operator has no flag for that.
func (o *oracle) logged() {
	o.options.Manager.Logger = funcr.New(func(prefix, args string) {
		fmt.Fprintln(&o.witness.log, prefix, args) // never fails
	}, funcr.Options{Verbosity: 4}) // at 5 controller-runtime prints its queue while it changes it
}

// measure keeps the metrics and the journal as they are now.
func (o *oracle) measure(t *testing.T) {
	t.Helper()
	_, _ = o.witness.journals.Write(o.journal(t).text)
	families, err := o.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		fmt.Fprintln(&o.witness.measured, family.String())
	}
}

// secrets looks for every secret of the run in every status that was ever stored, in the detailed log, in the metrics, in the journal, in
// the events at the control plane, and in every object of the cluster that is no Secret. A claim is in the spec of the object that was
// approved, and nowhere else.
func (o *oracle) secrets(t *testing.T) {
	t.Helper()
	o.measure(t)
	values := map[string]string{"the bootstrap token": bootstrap, "the values of a chart": "chart-password-of-"}
	for i, token := range o.plane.Tokens() {
		values[fmt.Sprintf("credential %d", i)] = token
	}
	for i, claim := range o.issued {
		values[fmt.Sprintf("claim %d", i)] = claim
		values[fmt.Sprintf("the signature of claim %d", i)] = claim[strings.LastIndexByte(claim, '.')+1:]
	}
	texts := map[string]string{"a status": o.Seen.Text(), "the log": o.witness.log.String(), "the metrics": o.witness.measured.String(),
		"the journal":                     o.witness.journals.String(),
		"the events at the control plane": fmt.Sprintf("%+v", o.plane.Received()), "an object": o.everything(t)}
	for where, text := range texts {
		if len(text) < 100 {
			t.Errorf("%s has nothing to look into: %q", where, text)
		}
		for what, value := range values {
			if at := strings.Index(text, value); at >= 0 {
				t.Errorf("%s is in %s: %.300s", what, where, text[max(0, at-200):])
			}
		}
	}
	t.Logf("none of %d secrets is in %d bytes of statuses, %d of logs, %d of metrics, %d of journals", len(values), len(texts["a status"]),
		len(texts["the log"]), len(texts["the metrics"]), len(texts["the journal"]))
}

// everything returns all objects of the cluster, besides Secrets, and without the specs and annotations of the operator's own kinds.
func (o *oracle) everything(t *testing.T) string {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(o.Config)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	events := 0
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			if resource.Kind == "Secret" || !strings.Contains(fmt.Sprint(resource.Verbs), "list") || strings.Contains(resource.Name, "/") {
				continue
			}
			items := &unstructured.UnstructuredList{}
			items.SetGroupVersionKind(gv.WithKind(resource.Kind + "List"))
			if err := o.API.List(t.Context(), items); err != nil {
				continue // a kind without storage
			}
			for _, item := range items.Items {
				if strings.HasSuffix(gv.Group, ".vworkspace.io") {
					delete(item.Object, "spec")
					item.SetAnnotations(nil)
				}
				if resource.Kind == "Event" {
					events++
				}
				fmt.Fprintln(&b, item.Object)
			}
		}
	}
	if events == 0 {
		t.Error("there are no events to look into")
	}
	return b.String()
}

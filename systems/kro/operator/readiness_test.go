// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// readiness: with readiness kro an Ingress without an address and a suspended CronJob are ready, and a Deployment without pods is not.
// A definition chooses for itself, and a word that is no readiness is refused with its place.
func readiness(t *testing.T, s *side) {
	s.run = configured(operator.Options{Readiness: declare.AsKro})
	s.begin(t)
	defer s.end(t)
	s.permit(t, "kro-doors", []string{"networking.k8s.io"})
	const silent = `
- id: door
  template: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: "${schema.metadata.name}"}, spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}}`
	const off = `
- id: nightly
  template:
    apiVersion: batch/v1
    kind: CronJob
    metadata: {name: "${schema.metadata.name}"}
    spec: {schedule: "0 3 * * *", suspend: true, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}}`
	choose := func(o *unstructured.Unstructured, word string) *unstructured.Unstructured {
		if err := unstructured.SetNestedField(o.Object, word, "spec", "schema", "metadata", "annotations",
			declare.ReadinessAnnotation); err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, definition := range []*unstructured.Unstructured{
		rgd(t, "loose", "Loose", fields, silent+off),
		choose(rgd(t, "tight", "Tight", fields, silent+off), "strict"),
		rgd(t, "busy", "Busy", fields, silent+deployment("web", "${schema.metadata.name}", "")),
	} {
		s.create(t, definition)
	}
	tight, busy, loose := instance(t, "Tight", "tight", ""), instance(t, "Busy", "busy", "outcome: hang"), instance(t, "Loose", "loose", "")
	for _, o := range []*unstructured.Unstructured{tight, busy, loose} { // the last one is the youngest
		s.create(t, o)
	}
	s.Later(t, time.Minute) // longer than a controller may be silent about a new object
	s.expect(t, loose, map[string]string{"Ready": "True AllReady", "resources.kro.run/door": "True ResourceReady",
		"resources.kro.run/nightly": "True ResourceReady"})
	s.expect(t, busy, map[string]string{"Ready": "Unknown Progressing", "resources.kro.run/door": "True ResourceReady",
		"resources.kro.run/web": "Unknown Progressing"})
	s.expect(t, tight, map[string]string{"Ready": "Unknown", "resources.kro.run/door": "Unknown Progressing",
		"resources.kro.run/nightly": "Unknown Suspended"})
	wrong := choose(rgd(t, "wrong", "Wrong", fields, off), "lax")
	s.create(t, wrong)
	s.expect(t, wrong, map[string]string{"ResourceGraphReady": "False GraphInvalid"})
}

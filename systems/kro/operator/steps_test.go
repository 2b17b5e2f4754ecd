// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// step is one thing that happens on both sides.
type step struct {
	name string
	do   func(t *testing.T, s *side)
	// at is the object whose conditions are compared.
	at *unstructured.Unstructured
	// person: a person must act, so that conditions of ours may be False.
	person bool
	// needs are the objects that count: while one of them does not exist or is not as it should be, True is wrong.
	needs []*unstructured.Unstructured
	// ours are the conditions that our operator writes, as "Status Reason"; the page shows Ready.
	ours map[string]string
	// mayBeFalse are conditions that may be False although no person must act: those that inform, and those of negative polarity.
	mayBeFalse []string
	// theirs are the conditions that kro 0.9.4 writes.
	theirs map[string]string
	// message is part of the message of our Ready.
	message string
	// status is what tristate status shows of the object on kro 0.9.4, as "Verdict Reason"; empty: anything but Current where kro is wrong,
	// and Failed only where a person must act or kro itself writes False.
	status string
	// check is called when both have settled.
	check func(t *testing.T, s *side)
}

// rgd is a definition of a kind with fields and resources, as YAML.
func rgd(t *testing.T, name, kind, spec, resources string) *unstructured.Unstructured {
	t.Helper()
	indent := func(text, by string) string {
		return by + strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n"+by)
	}
	return decode(t, fmt.Sprintf(`
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: %s}
spec:
  schema:
    apiVersion: v1alpha1
    kind: %s
%s
  resources:
%s
`, name, kind, indent(spec, "    "), indent(resources, "  ")))
}

// instance is an instance of a kind in the namespace default.
func instance(t *testing.T, kind, name, spec string) *unstructured.Unstructured {
	t.Helper()
	return decode(t, fmt.Sprintf("{apiVersion: kro.run/v1alpha1, kind: %s, metadata: {name: %s, namespace: default}, spec: {%s}}", kind, name,
		spec))
}

// deployment is a resource with pods that come to an outcome.
func deployment(id, name, more string) string {
	return fmt.Sprintf(`
- id: %s
%s  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: %q}
    spec:
      replicas: 1
      selector: {matchLabels: {app: %q}}
      template:
        metadata:
          labels: {app: %q}
          annotations: {localplane.tristate.dev/outcome: "${schema.spec.outcome}"}
        spec: {containers: [{name: web, image: nginx}]}
`, id, more, name, name, name)
}

// lent is a Deployment of somebody else, whose pods come to an outcome.
func lent(t *testing.T, name, outcome string) *unstructured.Unstructured {
	t.Helper()
	deadline := "86400"
	if outcome == failed {
		deadline = "2"
	}
	return decode(t, strings.NewReplacer("NAME", name, "OUTCOME", outcome, "DEADLINE", deadline).Replace(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: default}
spec:
  replicas: 1
  progressDeadlineSeconds: DEADLINE
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}, annotations: {localplane.tristate.dev/outcome: OUTCOME}}
    spec: {containers: [{name: web, image: nginx}]}`))
}

// respecified gives an object the spec of another.
func respecified(o *unstructured.Unstructured) func(*testing.T, *side) {
	return func(t *testing.T, s *side) {
		t.Helper()
		s.edit(t, o, func(u *unstructured.Unstructured) { u.Object["spec"] = o.Object["spec"] })
	}
}

// set changes a field of the spec.
func set(o *unstructured.Unstructured, value any, path ...string) func(*testing.T, *side) {
	return func(t *testing.T, s *side) {
		t.Helper()
		s.edit(t, o, func(u *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(u.Object, value, append([]string{"spec"}, path...)...); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// makes creates objects.
func makes(objects ...*unstructured.Unstructured) func(*testing.T, *side) {
	return func(t *testing.T, s *side) {
		t.Helper()
		for _, o := range objects {
			s.create(t, o)
		}
	}
}

// removes deletes objects and waits until they are gone.
func removes(objects ...*unstructured.Unstructured) func(*testing.T, *side) {
	return func(t *testing.T, s *side) {
		t.Helper()
		for _, o := range objects {
			s.remove(t, o)
			s.gone(t, o)
		}
	}
}

func cells(ready string, more ...string) map[string]string {
	out := map[string]string{"Ready": ready}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

func objects(o ...*unstructured.Unstructured) []*unstructured.Unstructured { return o }

const fields = `spec: {outcome: 'string | default="ready"'}`

// steps are the steps of the comparison, each on what the ones before left.
func steps(t *testing.T) []step {
	t.Helper()
	last := step{
		name: "instances are deleted",
		do: removes(instance(t, "Fleet", "ships", ""), instance(t, "WebApp", "shop", ""), instance(t, "Outer", "nested", ""),
			instance(t, "Fenced", "fence", "")),
		at:     file(t, "webapp"),
		ours:   cells("True AllReady"),
		theirs: cells("True Ready"),
		check: func(t *testing.T, s *side) {
			for _, name := range []string{"shop", "ships-a", "ships-b", "nested-inner"} {
				s.gone(t, child("Deployment", name))
			}
		},
	}
	return slices.Concat(webappSteps(t), invalidSteps(t), nestedSteps(t), changeSteps(t), resourceSteps(t), externalSteps(t), orphanSteps(t),
		exampleSteps(t), []step{last})
}

// child is an object of an instance in the namespace default.
func child(kind, name string) *unstructured.Unstructured {
	if kind == "Deployment" {
		return object("apps/v1", kind, "default", name)
	}
	return object("v1", kind, "default", name)
}

func crd(name string) *unstructured.Unstructured {
	return object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name)
}

// webappSteps: a definition is accepted, its instances wait for pods, fail, change, and survive that their kind is deleted.
func webappSteps(t *testing.T) []step {
	t.Helper()
	webapp := file(t, "webapp")
	shop := instance(t, "WebApp", "shop", "")
	slow := instance(t, "WebApp", "slow", "outcome: hang")
	broken := instance(t, "WebApp", "broken", "outcome: image-pull, deadline: 2")
	return []step{
		{
			name:   "a definition is accepted",
			do:     makes(webapp),
			at:     webapp,
			ours:   cells("True AllReady", "ResourceGraphReady", "True AllReady", "ResourceGraphKindReady", "True Accepted"),
			theirs: cells("True Ready"),
		},
		{
			name:    "a Deployment has 0 of 1 pods",
			do:      makes(slow),
			at:      slow,
			needs:   objects(child("Deployment", "slow"), child("Service", "slow")),
			ours:    cells("Unknown Progressing", "resources.kro.run/deployment", "Unknown Progressing"),
			theirs:  cells("True Ready"),
			message: "0 of 1",
			status:  "InProgress ChildInProgress",
		},
		{
			name:   "its pod comes up",
			do:     set(slow, "ready", "outcome"),
			at:     slow,
			needs:  objects(child("Deployment", "slow"), child("Service", "slow")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:   "a child fails: its image cannot be pulled",
			do:     makes(broken),
			at:     broken,
			person: true,
			needs:  objects(child("Deployment", "broken")),
			ours:   cells("False Failed", "resources.kro.run/deployment", "False Failed"),
			theirs: cells("True Ready"),
			status: "Failed ChildFailed",
		},
		{
			name:   "the image is corrected",
			do:     set(broken, "ready", "outcome"),
			at:     broken,
			needs:  objects(child("Deployment", "broken")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name: "a child is deleted and comes back",
			do: func(t *testing.T, s *side) {
				old := s.read(t, child("Deployment", "slow"))
				s.remove(t, old)
				s.eventually(t, func() error {
					if fresh := s.read(t, old); fresh == nil || fresh.GetUID() == old.GetUID() || !current(fresh) {
						return fmt.Errorf("it is not made anew")
					}
					return nil
				})
			},
			at:     slow,
			needs:  objects(child("Deployment", "slow"), child("Service", "slow")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:   "includeWhen becomes true",
			do:     set(slow, true, "notes"),
			at:     slow,
			needs:  objects(child("ConfigMap", "slow-notes")),
			ours:   cells("True AllReady", "resources.kro.run/notes", "True ResourceReady"),
			theirs: cells("True Ready"),
			check: func(t *testing.T, s *side) {
				s.eventually(t, func() error { return exists(s.read(t, child("ConfigMap", "slow-notes"))) })
			},
		},
		{
			name:   "includeWhen becomes false",
			do:     set(slow, false, "notes"),
			at:     slow,
			ours:   cells("True AllReady", "resources.kro.run/notes", "True Excluded"),
			theirs: cells("True Ready"),
			check:  func(t *testing.T, s *side) { s.gone(t, child("ConfigMap", "slow-notes")) },
		},
		{
			name: "the CustomResourceDefinition is deleted",
			do: func(t *testing.T, s *side) {
				old := s.read(t, crd("webapps.kro.run"))
				s.remove(t, old)
				s.eventually(t, func() error {
					if fresh := s.read(t, old); fresh == nil || fresh.GetUID() == old.GetUID() {
						return fmt.Errorf("it is not made anew")
					}
					return nil
				})
			},
			at:     webapp,
			needs:  objects(crd("webapps.kro.run")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			check:  func(t *testing.T, s *side) { s.gone(t, child("Deployment", "slow")) },
		},
		{
			name:   "an instance of the new definition",
			do:     makes(shop),
			at:     shop,
			needs:  objects(child("Deployment", "shop")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
	}
}

// invalidSteps: definitions that a person has to correct, or that wait for a kind of another project.
func invalidSteps(t *testing.T) []step {
	t.Helper()
	celerr := rgd(t, "bad-cel", "BadCel", fields, `- id: a
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.spec.nosuchfield}"}}`)
	cycle := rgd(t, "cycle", "Cycle", fields, `
- id: a
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${b.metadata.name}x"}}
- id: b
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${a.metadata.name}y"}}`)
	lamps := rgd(t, "needs-lamp", "NeedsLamp", fields, `- id: lamp
  template: {apiVersion: example.com/v1, kind: Lamp, metadata: {name: "${schema.metadata.name}"}, spec: {on: true}}`)
	lampCRD := decode(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {on: {type: boolean}}}, status: {type: object, properties: {phase: {type: string}}}}}}
`)
	return []step{
		{
			name:    "an expression is invalid",
			do:      makes(celerr),
			at:      celerr,
			person:  true,
			ours:    cells("False GraphInvalid", "ResourceGraphKindReady", "Unknown WaitingForGraph"),
			theirs:  cells("False InvalidResourceGraph"),
			message: "nosuchfield",
		},
		{
			name:    "the graph is cyclic",
			do:      makes(cycle),
			at:      cycle,
			person:  true,
			ours:    cells("False GraphInvalid"),
			theirs:  cells("False InvalidResourceGraph"),
			message: "cycle",
		},
		{
			name:    "a kind is missing",
			do:      makes(lamps),
			at:      lamps,
			person:  true,
			ours:    cells("False KindMissing"),
			theirs:  cells("False InvalidResourceGraph"),
			message: "Lamp of example.com/v1",
		},
		{
			name:   "the kind is installed",
			do:     makes(lampCRD),
			at:     lamps,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
	}
}

// nestedSteps: kinds that other definitions make.
func nestedSteps(t *testing.T) []step {
	t.Helper()
	outer := rgd(t, "outer", "Outer", fields, `- id: inner
  template: {apiVersion: kro.run/v1alpha1, kind: Inner, metadata: {name: "${schema.metadata.name}"}, spec: {outcome: "${schema.spec.outcome}"}}`)
	waiter := rgd(t, "waiter", "Waiter", fields, `- id: cycle
  template: {apiVersion: kro.run/v1alpha1, kind: Cycle, metadata: {name: "${schema.metadata.name}"}, spec: {outcome: ready}}`)
	inner := rgd(t, "inner", "Inner", fields, deployment("web", "${schema.metadata.name}-inner", ""))
	nested := instance(t, "Outer", "nested", "outcome: hang")
	return []step{
		{
			name:    "a kind of a definition that is not accepted",
			do:      makes(waiter),
			at:      waiter,
			ours:    cells("Unknown Reconciling", "ResourceGraphReady", "Unknown WaitingForKind"),
			theirs:  cells("False InvalidResourceGraph"),
			message: "made by the definition cycle",
		},
		{
			name:   "a kind that nobody makes yet",
			do:     makes(outer),
			at:     outer,
			person: true,
			ours:   cells("False KindMissing"),
			theirs: cells("False InvalidResourceGraph"),
		},
		{
			name:   "a definition makes it",
			do:     makes(inner),
			at:     outer,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:   "a nested instance waits for pods",
			do:     makes(nested),
			at:     nested,
			needs:  objects(child("Deployment", "nested-inner")),
			ours:   cells("Unknown Progressing"),
			theirs: cells("True Ready"),
			status: "InProgress ChildInProgress",
		},
		{
			name:   "the pods of the nested instance come up",
			do:     set(nested, "ready", "outcome"),
			at:     nested,
			needs:  objects(child("Deployment", "nested-inner")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
	}
}

// changeSteps: definitions that change, alone and with their instances.
func changeSteps(t *testing.T) []step {
	t.Helper()
	notes := "\n- id: notes\n  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: \"${schema.metadata.name}-n\"}, data: {a: b}}"
	webapp := file(t, "webapp")
	evolving := rgd(t, "evolving", "Evolving", `spec: {size: 'integer | default=1'}`, notes)
	second := rgd(t, "second", "WebApp", fields, notes)
	shop := instance(t, "WebApp", "shop", "")
	return []step{
		{
			name:   "a definition that will change",
			do:     makes(evolving),
			at:     evolving,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:   "the schema gains a field",
			do:     set(evolving, `string | default="red"`, "schema", "spec", "colour"),
			at:     evolving,
			needs:  objects(crd("evolvings.kro.run")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			check: func(t *testing.T, s *side) {
				s.eventually(t, func() error {
					versions, _, _ := unstructured.NestedSlice(s.read(t, crd("evolvings.kro.run")).Object, "spec", "versions")
					_, found, _ := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec", "properties",
						"colour")
					if !found {
						return fmt.Errorf("the CustomResourceDefinition does not have the field")
					}
					return nil
				})
			},
		},
		{
			name:   "the schema changes and breaks instances",
			do:     set(evolving, "string", "schema", "spec", "size"),
			at:     evolving,
			person: true,
			ours:   cells("False BreakingChange"),
			theirs: cells("False Failed"),
		},
		{
			name:   "the change is taken back",
			do:     set(evolving, "integer | default=1", "schema", "spec", "size"),
			at:     evolving,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name: "an instance and its definition change together",
			do: func(t *testing.T, s *side) {
				set(webapp, "string | default=\"nginx:2\"", "schema", "spec", "image")(t, s)
				set(shop, int64(2), "replicas")(t, s)
			},
			at:     shop,
			needs:  objects(child("Deployment", "shop"), child("Service", "shop")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			check: func(t *testing.T, s *side) {
				s.eventually(t, func() error {
					if n, _, _ := unstructured.NestedInt64(s.read(t, child("Deployment", "shop")).Object, "spec", "replicas"); n != 2 {
						return fmt.Errorf("the Deployment has %d replicas", n)
					}
					return nil
				})
			},
		},
		{
			name:    "two definitions of one kind",
			do:      makes(second),
			at:      second,
			person:  true,
			ours:    cells("False KindTaken"),
			theirs:  cells("False Failed"),
			message: "made by the definition webapp",
		},
	}
}

// resourceSteps: resources without a permission, with readyWhen, of others, and in collections.
func resourceSteps(t *testing.T) []step {
	t.Helper()
	fenced := rgd(t, "fenced", "Fenced", fields, `- id: policy
  template: {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: "${schema.metadata.name}"}, spec: {podSelector: {}}}`)
	fence := instance(t, "Fenced", "fence", "")
	jobs := rgd(t, "task", "Task", fields, `- id: job
  readyWhen: ["${job.status.completionTime != null}"]
  template:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: "${schema.metadata.name}"}
    spec:
      template:
        metadata: {annotations: {localplane.tristate.dev/outcome: "${schema.spec.outcome}"}}
        spec: {restartPolicy: Never, containers: [{name: t, image: busybox}]}`)
	task := instance(t, "Task", "task", "outcome: run")
	bold := rgd(t, "bold", "Bold", fields, deployment("web", "${schema.metadata.name}-bold",
		"  readyWhen: [\"${web.metadata.name != ''}\"]\n"))
	boldly := instance(t, "Bold", "boldly", "outcome: hang")
	outside := rgd(t, "outside", "Outside", fields, `
- id: settings
  externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
- id: copy
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-copy"}, data: {mode: "${settings.data.mode}"}}`)
	reader := instance(t, "Outside", "reader", "")
	settings := decode(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}, data: {mode: dark}}")
	fleet := rgd(t, "fleet", "Fleet", `spec: {zones: 'map[string]string'}`, `
- id: web
  forEach: [{zone: "${schema.spec.zones.map(z, z)}"}]
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: "${schema.metadata.name + '-' + zone}"}
    spec:
      replicas: 1
      selector: {matchLabels: {app: "${schema.metadata.name + '-' + zone}"}}
      template:
        metadata:
          labels: {app: "${schema.metadata.name + '-' + zone}"}
          annotations: {localplane.tristate.dev/outcome: "${schema.spec.zones[zone]}"}
        spec: {containers: [{name: web, image: nginx}]}`)
	ships := instance(t, "Fleet", "ships", "zones: {a: ready, b: hang, c: ready}")
	return []step{
		{
			name:    "a permission is missing",
			do:      makes(fenced, fence),
			at:      fence,
			person:  true,
			needs:   objects(object("networking.k8s.io/v1", "NetworkPolicy", "default", "fence")),
			ours:    cells("False NotReady", "InstanceSynced", "False SyncFailed"),
			theirs:  cells("False NotReady"),
			message: "forbidden",
		},
		{
			name:   "the permission is given",
			do:     func(t *testing.T, s *side) { s.permit(t, "kro-more", []string{"networking.k8s.io"}) },
			at:     fence,
			needs:  objects(object("networking.k8s.io/v1", "NetworkPolicy", "default", "fence")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:   "readyWhen does not hold yet",
			do:     makes(jobs, task),
			at:     task,
			needs:  objects(object("batch/v1", "Job", "default", "task")),
			ours:   cells("Unknown NotReady", "resources.kro.run/job", "Unknown NotReady"),
			theirs: cells("False NotReady"),
		},
		{
			name:   "readyWhen holds over a Deployment without pods",
			do:     makes(bold, boldly),
			at:     boldly,
			ours:   cells("True AllReady", "resources.kro.run/web", "True ReadyByReadyWhen"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:   "an object of somebody else is missing",
			do:     makes(outside, reader),
			at:     reader,
			needs:  objects(settings),
			ours:   cells("Unknown Reconciling", "resources.kro.run/settings", "Unknown NotFound"),
			theirs: cells("False NotReady"),
		},
		{
			name:   "somebody makes it",
			do:     makes(settings),
			at:     reader,
			needs:  objects(settings, child("ConfigMap", "reader-copy")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:    "one of three Deployments of a collection waits",
			do:      makes(fleet, ships),
			at:      ships,
			needs:   objects(child("Deployment", "ships-a"), child("Deployment", "ships-b"), child("Deployment", "ships-c")),
			ours:    cells("Unknown Progressing", "resources.kro.run/web", "Unknown Progressing"),
			theirs:  cells("True Ready"),
			message: "2 of 3 are ready",
			status:  "InProgress ChildInProgress",
		},
	}
}

func exists(o *unstructured.Unstructured) error {
	if o == nil {
		return fmt.Errorf("it does not exist")
	}
	return nil
}

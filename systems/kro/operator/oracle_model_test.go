// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The oracle knows what a definition and its instances are to come to from what was asked of them alone: it uses no code of the operator,
// no catalog and no verdict. An instance is ready by the outcome that its pods were made for.
const (
	ready  = "ready"      // the pods come up
	hangs  = "hang"       // they never do, which is no failure
	failed = "image-pull" // they cannot: a person must act
)

// shape is the schema of a kind, as far as the steps change it.
type shape struct {
	extras []int // fields extraN of the spec, each with a default of its own
	wide   bool  // replicas is a string and no integer
}

// fits reports whether objects of an older shape stay valid: no field went, none changed its type.
func (s shape) fits(old shape) bool {
	return s.wide == old.wide && !slices.ContainsFunc(old.extras, func(n int) bool { return !slices.Contains(s.extras, n) })
}

// draft is a definition as it was written last.
type draft struct {
	shape
	tag        int // a constant of a template
	side, lamp bool
	outside    string // a reference to a Deployment of somebody else: "", plain or decided, which is by a readyWhen that always holds
	broken     string // "", "cel" or "cycle"
	allow      bool   // the annotation that permits breaking changes
}

const (
	plain   = "plain"
	decided = "decided"
)

// player is an instance: as its spec is, and as its resources were applied last.
type player struct {
	exists, suspended bool
	spec, applied     content
	fresh             bool // nothing was applied yet
	web, svc          bool // they exist, as far as nobody makes them
	edited            bool // somebody changed the Service
}

// content is the part of an instance that shows in its resources.
type content struct {
	outcome  string
	replicas int64
	notes    bool
	draft    draft
}

// game is a definition with its instances.
type game struct {
	index   int
	draft   draft
	served  *draft // as it was accepted last; nil: it never was
	gone    bool   // the definition does not exist
	crd     *shape // as the API server has it; nil without one
	hasLamp bool   // the API server serves the kind Lamp of this game
	done    string // the draft that was ready in every instance, if no person had to act since
	players map[string]*player
	lent    map[string]string      // what the Deployments of somebody else come to, by player; of the others there is none
	excused bool                   // since the statuses were compared last something was such that a person must act
	edits   map[string][]time.Time // of the Services of instances
	log     []string
}

func (g *game) kind() string     { return fmt.Sprintf("Play%d", g.index) }
func (g *game) name() string     { return fmt.Sprintf("play-%d", g.index) }
func (g *game) plural() string   { return fmt.Sprintf("play%ds", g.index) }
func (g *game) lampKind() string { return fmt.Sprintf("Lamp%d", g.index) }

func (g *game) at(t *testing.T, player string) *unstructured.Unstructured {
	return instance(t, g.kind(), g.object(player), "")
}

// catalog is the catalog that is published for the kind.
func (g *game) catalog() *unstructured.Unstructured {
	return object("tristate.dev/v1alpha1", "ConditionCatalog", "", g.plural()+".kro.run")
}

// object is the name of an instance, of its Deployment and of its Service.
func (g *game) object(player string) string { return fmt.Sprintf("g%d-%s", g.index, player) }

// lentBy names the Deployment of somebody else that an instance refers to.
func (g *game) lentBy(player string) string { return g.object(player) + "-lent" }

// refusal is the reason for which the definition is not accepted, and the condition that has it; empty: it is accepted.
func (g *game) refusal() (conditionType, reason string) {
	switch d := g.draft; {
	case g.gone:
		return "", "DefinitionMissing"
	case d.broken != "":
		return "ResourceGraphReady", "GraphInvalid"
	case d.lamp && !g.hasLamp:
		return "ResourceGraphReady", "KindMissing"
	case g.crd != nil && !d.fits(*g.crd) && !d.allow:
		return "ResourceGraphKindReady", "BreakingChange"
	}
	return "", ""
}

// advance takes over what follows from the definition and the specs: the new schema, and what is applied. While an edit is refused the
// definition that was accepted last goes on.
func (g *game) advance() {
	if _, reason := g.refusal(); reason == "" {
		d, s := g.draft, g.draft.shape
		g.served, g.crd = &d, &s
	}
	if g.gone || g.served == nil {
		return
	}
	if g.crd == nil { // "I can delete the CRD KRO has made for me and the controller does not bring it back"
		s := g.served.shape
		g.crd = &s
	}
	for _, p := range g.players {
		if p.exists && !p.suspended {
			p.applied, p.applied.draft, p.fresh, p.web, p.svc, p.edited = p.spec, *g.served, false, true, true, false
		}
	}
}

// serving is the definition by which instances are reconciled.
func (g *game) serving() draft {
	if g.served == nil {
		return g.draft
	}
	return *g.served
}

// troubled reports whether somebody has to act.
func (g *game) troubled() bool {
	_, reason := g.refusal()
	troubled := reason != ""
	for name, p := range g.players {
		troubled = troubled || p.exists && (p.spec.outcome == failed || p.applied.outcome == failed || g.serving().outside == plain &&
			g.lent[name] == failed)
	}
	return troubled
}

// cells are the conditions of an instance; an empty reason is any.
func (g *game) cells(name string) map[string]string {
	p, d := g.players[name], g.serving()
	outside := map[string]string{ready: "True ResourceReady", hangs: "Unknown Progressing", failed: "False Failed",
		"": "Unknown NotFound"}[g.lent[name]]
	switch {
	case d.outside == "":
		outside = ""
	case d.outside == decided && (g.lent[name] == hangs || g.lent[name] == failed):
		outside = "True ReadyByReadyWhen"
	}
	switch _, refused := g.refusal(); {
	case g.gone:
		return map[string]string{"Ready": "False ", "GraphResolved": "False " + refused}
	case refused != "" && g.served == nil:
		return map[string]string{"Ready": "False ", "GraphResolved": "False DefinitionInvalid"}
	case p.suspended && (p.applied.outcome == failed && p.web && !p.fresh || strings.HasPrefix(outside, "False")):
		return map[string]string{"Ready": "False ", "InstanceSynced": "Unknown Suspended", "resources.kro.run/outside": outside}
	case p.suspended:
		return map[string]string{"Ready": "Unknown ", "InstanceSynced": "Unknown Suspended", "resources.kro.run/outside": outside}
	}
	well := map[string]string{"InstanceManaged": "True Managed", "GraphResolved": "True Resolved", "InstanceSynced": "True Synced",
		"resources.kro.run/outside": outside}
	if _, refused := g.refusal(); refused != "" {
		well["GraphResolved"] = "True LastAccepted"
	}
	web := map[string]string{ready: "True ResourceReady", hangs: "Unknown Progressing", failed: "False Failed"}[p.spec.outcome]
	well["resources.kro.run/web"] = web
	switch bad := slices.DeleteFunc([]string{web, outside}, func(cell string) bool { return cell == "" || strings.HasPrefix(cell, "True") }); {
	case len(bad) == 0:
		well["Ready"], well["ResourcesReady"] = "True AllReady", "True AllResourcesReady"
	case len(bad) == 1:
		well["Ready"] = bad[0]
	default: // of whatever reason
		well["Ready"], _, _ = strings.Cut(slices.Min(bad), " ") // False before Unknown
	}
	well["resources.kro.run/notes"] = "True Excluded"
	if p.spec.notes {
		well["resources.kro.run/notes"] = "True ResourceReady"
	}
	well["resources.kro.run/side"], well["resources.kro.run/lamp"] = "", ""
	if d.side {
		well["resources.kro.run/side"] = "True ResourceReady"
	}
	if d.lamp {
		well["resources.kro.run/lamp"] = "True ResourceReady"
	}
	return well
}

// definitionCells are the conditions of the definition.
func (g *game) definitionCells() map[string]string {
	if g.gone {
		return nil
	}
	switch conditionType, reason := g.refusal(); conditionType {
	case "ResourceGraphReady":
		return map[string]string{"Ready": "False " + reason, conditionType: "False " + reason,
			"ResourceGraphKindReady": "Unknown WaitingForGraph"}
	case "ResourceGraphKindReady":
		return map[string]string{"Ready": "False " + reason, conditionType: "False " + reason, "ResourceGraphReady": "Unknown ResourcesNotReady"}
	}
	// Statement 18: "All resources are up to date and ready." Statement 15: Unknown "has not yet successfully fulfilled the request", which
	// for a definition is its generation: once that was ready everywhere, an instance on its way changes nothing.
	resources := "True AllReady"
	for name, p := range g.players {
		if !p.exists {
			continue
		}
		switch ready := g.cells(name)["Ready"]; {
		case strings.HasPrefix(ready, "False"):
			resources = "False ResourcesFailed"
		case strings.HasPrefix(ready, "Unknown") && resources == "True AllReady" && g.done != g.drafted():
			resources = "Unknown ResourcesNotReady"
		}
	}
	if strings.HasPrefix(resources, "Unknown") { // or it was ready everywhere since the last comparison, for a moment
		return map[string]string{"ResourceGraphKindReady": "True Accepted"}
	}
	return map[string]string{"Ready": resources, "ResourceGraphReady": resources, "ResourceGraphKindReady": "True Accepted"}
}

// drafted is the definition as it was written last, as a text.
func (g *game) drafted() string { return fmt.Sprintf("%+v", g.draft) }

// settle notes what was seen after the statuses were compared.
func (g *game) settle() {
	if g.excused = g.troubled(); g.excused {
		g.done = ""
	} else if g.definitionCells()["ResourceGraphReady"] == "True AllReady" {
		g.done = g.drafted()
	}
}

// trouble notes that a person must act, or had to.
func (g *game) trouble() {
	if g.excused = g.excused || g.troubled(); g.excused {
		g.done = ""
	}
}

// resources are those that an instance is to have, by kind and name, with the data of those that have some. Of a nil one nothing is known.
func (g *game) resources(player string) map[string]map[string]string {
	p, name := g.players[player], g.object(player)
	out := map[string]map[string]string{}
	if g.lent[player] != "" {
		out["Deployment/"+g.lentBy(player)] = map[string]string{"replicas": "1"}
	}
	if !p.exists || p.fresh {
		return out
	}
	if p.web {
		out["Deployment/"+name] = map[string]string{"replicas": fmt.Sprint(p.applied.replicas)}
	}
	if p.svc {
		out["Service/"+name] = map[string]string{"app": map[bool]string{true: "wrong", false: name}[p.edited]}
	}
	settings := map[string]string{"tag": fmt.Sprint(p.applied.draft.tag), "service": name}
	for _, n := range p.applied.draft.extras {
		settings[fmt.Sprintf("extra%d", n)] = fmt.Sprintf("value%d", n)
	}
	out["ConfigMap/"+name+"-settings"] = settings
	if p.applied.notes {
		out["ConfigMap/"+name+"-notes"] = map[string]string{"a": "b"}
	}
	if p.applied.draft.side {
		out["ConfigMap/"+name+"-side"] = map[string]string{"a": "b"}
	}
	if p.applied.draft.lamp {
		out[g.lampKind()+"/"+name] = map[string]string{}
	}
	return out
}

// yaml is the definition.
func (g *game) yaml(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	d := g.draft
	var schema, data strings.Builder
	replicas, rendered := `integer | default=1`, "${schema.spec.replicas}"
	if d.wide {
		replicas, rendered = `string | default="1"`, "${int(schema.spec.replicas)}"
	}
	fmt.Fprintf(&schema, "spec:\n  outcome: string | default=\"ready\"\n  deadline: integer | default=86400\n  notes: boolean | default=false\n  replicas: %s\n", replicas)
	for _, n := range d.extras {
		fmt.Fprintf(&schema, "  extra%d: string | default=\"value%d\"\n", n, n)
		fmt.Fprintf(&data, ", extra%d: \"${schema.spec.extra%d}\"", n, n)
	}
	if d.broken == "cel" {
		data.WriteString(`, broken: "${schema.spec.nothing}"`)
	}
	resources := strings.Replace(deployment("web", "${schema.metadata.name}", ""), "replicas: 1", "replicas: "+rendered+
		"\n      progressDeadlineSeconds: ${schema.spec.deadline}", 1) + `
- id: svc
  template: {apiVersion: v1, kind: Service, metadata: {name: "${web.metadata.name}"}, spec: {selector: {app: "${schema.metadata.name}"}, ports: [{port: 80}]}}
- id: settings
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-settings"}, data: {tag: "` + fmt.Sprint(d.tag) +
		`", service: "${svc.metadata.name}"` + data.String() + `}}
- id: notes
  includeWhen: ["${schema.spec.notes}"]
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-notes"}, data: {a: b}}`
	if d.side {
		resources += `
- id: side
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-side"}, data: {a: b}}`
	}
	if d.outside != "" {
		resources += `
- id: outside
  externalRef: {apiVersion: apps/v1, kind: Deployment, metadata: {name: "${schema.metadata.name}-lent"}}`
	}
	if d.outside == decided {
		resources += `
  readyWhen: ["${outside.metadata.name != ''}"]`
	}
	if d.lamp {
		resources += `
- id: lamp
  template: {apiVersion: example.com/v1, kind: ` + g.lampKind() + `, metadata: {name: "${schema.metadata.name}"}, spec: {on: true}}`
	}
	if d.broken == "cycle" {
		resources += `
- id: here
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${there.metadata.name}x"}}
- id: there
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${here.metadata.name}y"}}`
	}
	o := rgd(t, g.name(), g.kind(), schema.String(), resources)
	if d.allow {
		o.SetAnnotations(map[string]string{v1alpha1.AllowBreakingChangesAnnotation: "true"})
	}
	return o
}

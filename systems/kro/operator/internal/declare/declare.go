// SPDX-License-Identifier: Apache-2.0

package declare

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
)

// The condition types of every instance.
const (
	Ready           = "Ready"
	InstanceManaged = "InstanceManaged"
	GraphResolved   = "GraphResolved"
	InstanceSynced  = "InstanceSynced"
	ResourcesReady  = "ResourcesReady"
)

// The reasons of the condition of a resource.
const (
	Failed           = "Failed"
	Refused          = "Refused"
	ResolutionFailed = "ResolutionFailed"
	Suspended        = "Suspended"
	Deleting         = "Deleting"
	Retrying         = "Retrying"
	WaitingForData   = "WaitingForData"
	NotFound         = "NotFound"
	Progressing      = "Progressing"
	NotReady         = "NotReady"
	ReadyByDecision  = "ReadyByReadyWhen"
	ResourceReady    = "ResourceReady"
	Excluded         = "Excluded"
)

var own = map[string]bool{Ready: true, InstanceManaged: true, GraphResolved: true, InstanceSynced: true, ResourcesReady: true}

const resources = "resources.kro.run/"

// ResourceType returns the condition type of a resource of the graph.
func ResourceType(id string) string { return resources + id }

// IsResource reports whether a condition type is that of a resource of a graph.
func IsResource(conditionType string) bool { return strings.HasPrefix(conditionType, resources) }

// Renamed returns the type under which a custom condition is reported: its own, unless that is one of the operator's.
func Renamed(custom string) string {
	if own[custom] {
		return "Custom" + custom
	}
	return custom
}

// Kind is the declaration of the conditions of a kind.
type Kind struct {
	// Document is the catalog as it is published.
	Document catalog.Document
	// Conditions are those of the instances.
	Conditions *conditions.Kind
	// Readiness of the instances; empty: the operator's.
	Readiness Readiness
}

// With returns the declaration with further types, which are informational.
func (k *Kind) With(types []string) *conditions.Kind {
	extra := slices.DeleteFunc(slices.Clone(types), func(t string) bool {
		return slices.ContainsFunc(k.Conditions.Types, func(d conditions.Type) bool { return d.Name == t })
	})
	if len(extra) == 0 {
		return k.Conditions
	}
	out := *k.Conditions
	out.Types = slices.Clone(out.Types)
	for _, name := range extra {
		out.Types = append(out.Types, conditions.Type{Name: name, Meaning: "A custom condition.", Polarity: conditions.Positive,
			Role: conditions.RoleInformational, Unreported: conditions.UnreportedKeep, Imported: true, Optional: true})
	}
	return &out
}

// model returns the shipped catalog of an instance.
var model = sync.OnceValues(func() (catalog.Document, error) {
	data, err := systems.Catalogs.ReadFile("kro/catalog.yaml")
	if err != nil {
		return catalog.Document{}, err
	}
	sources, err := catalog.Parse("kro.yaml", data)
	if err != nil {
		return catalog.Document{}, err
	}
	for _, s := range sources {
		if s.Spec.For.Kind == "MyCustomKind" {
			return s.Document, nil
		}
	}
	return catalog.Document{}, fmt.Errorf("kro.yaml has no catalog of an instance")
})

// Of returns the declaration of the kind of a definition. order are the IDs of its resources, in the order of the graph.
func Of(rgd *v1alpha1.ResourceGraphDefinition, order []string) (*Kind, error) {
	document, err := model()
	if err != nil {
		return nil, err
	}
	s := rgd.Spec.Schema
	var declared []Custom
	var readiness Readiness
	if s.Metadata != nil && s.Metadata.Annotations[ReadinessAnnotation] != "" {
		if readiness, err = ParseReadiness(s.Metadata.Annotations[ReadinessAnnotation]); err != nil {
			return nil, fmt.Errorf("annotation %s: %w", ReadinessAnnotation, err)
		}
	}
	if s.Metadata != nil && s.Metadata.Annotations[Annotation] != "" {
		if declared, err = ParseCustom(s.Metadata.Annotations[Annotation]); err != nil {
			return nil, err
		}
	}
	gvr := metadata.GetResourceGraphDefinitionInstanceGVR(s.Group, s.APIVersion, s.Kind)
	document.Metadata = catalog.Metadata{Name: gvr.GroupResource().String(), Labels: map[string]string{
		metadata.OwnedLabel: "true", metadata.ResourceGraphDefinitionNameLabel: rgd.Name}}
	document.Spec.For = catalog.For{Group: s.Group, Kind: s.Kind, Versions: []string{s.APIVersion}}
	document.Spec.Relations = references(rgd)
	document.Spec.Conditions = types(document.Spec.Conditions, order, custom(declared, literals(s.Status.Raw)))
	data, err := document.YAML()
	if err != nil {
		return nil, err
	}
	sources, err := catalog.Parse(document.Metadata.Name, data)
	if err != nil {
		return nil, err
	}
	compiled, err := catalog.Compile(sources[0])
	if err != nil {
		return nil, err
	}
	return &Kind{Document: document, Conditions: compiled.Declaration, Readiness: readiness}, nil
}

// custom adds the conditions that expressions create to the declared ones.
func custom(declared []Custom, made []string) []Custom {
	for _, name := range made {
		if slices.ContainsFunc(declared, func(c Custom) bool { return c.Type == Renamed(name) }) {
			continue
		}
		c := Custom{Type: Renamed(name), Role: string(conditions.RoleInformational), Polarity: string(conditions.Positive)}
		if name == Ready {
			c.Role, c.Meaning = string(conditions.RoleDependent), "The Ready that an expression of the definition computes."
		}
		declared = append(declared, c)
	}
	return declared
}

// types returns the condition types of a catalog: those of the model, of the resources, and the custom ones.
func types(model []catalog.Condition, order []string, customs []Custom) []catalog.Condition {
	var out []catalog.Condition
	parts := make([]string, 0, len(order))
	for _, id := range order {
		parts = append(parts, ResourceType(id))
	}
	counts := []string{InstanceManaged, GraphResolved, InstanceSynced, ResourcesReady}
	for _, c := range customs {
		if c.Role == string(conditions.RoleDependent) {
			counts = append(counts, c.Type)
		}
	}
	for _, c := range model {
		if !own[c.Type] {
			continue // an example
		}
		c.Optional = false
		switch c.Type {
		case Ready:
			c.Derive = &catalog.Derive{Summary: &catalog.Summary{Of: counts, Missing: string(rollup.MissingUnknown), Recent: true}}
		case ResourcesReady:
			if len(parts) > 0 {
				c.Derive = &catalog.Derive{Summary: &catalog.Summary{Of: parts, Missing: string(rollup.MissingUnknown), Recent: true}}
			}
			c.Statuses = []string{"True", "False", "Unknown"}
		}
		out = append(out, c)
	}
	for i, name := range parts {
		out = append(out, resource(name, order[i]))
	}
	for _, c := range customs {
		meaning := c.Meaning
		if meaning == "" {
			meaning = "A custom condition of the definition."
		}
		out = append(out, catalog.Condition{Type: c.Type, Meaning: meaning, Role: c.Role, Polarity: c.Polarity,
			Presence: string(conditions.PresenceAlways),
			Optional: c.Role != string(conditions.RoleDependent), NotReached: string(conditions.UnreportedUnknown),
			Open: "The status decides; the reason is the one that the expression of the definition gives."})
	}
	return out
}

// resource declares the condition of one resource.
func resource(name, id string) catalog.Condition {
	return catalog.Condition{Type: name, Meaning: "Resource " + id + " of the graph is ready, or not part of this instance.",
		Role: string(conditions.RoleInformational), Polarity: string(conditions.Positive), Presence: string(conditions.PresenceAlways),
		NotReached: string(conditions.UnreportedKeep), Reasons: []catalog.Reason{
			{Reason: Refused, Status: "False", Class: "terminal", Meaning: "The API server refuses the resource.",
				Remedy: "Correct what the message names."},
			{Reason: ResolutionFailed, Status: "False", Class: "terminal", Meaning: "An expression of the resource fails.",
				Remedy: "Correct the expression, or the field that it reads."},
			{Reason: Failed, Status: "False", Class: "terminal", Meaning: "The resource needs help.",
				Remedy: "Look at the object that the message names."},
			{Reason: Suspended, Status: "Unknown", Class: "suspended", Meaning: "The resource is switched off."},
			{Reason: Deleting, Status: "Unknown", Class: "progress", Meaning: "The resource is being deleted."},
			{Reason: Retrying, Status: "Unknown", Class: "transient", Meaning: "The API server did not take the resource; it is sent again."},
			{Reason: WaitingForData, Status: "Unknown", Class: "progress", Meaning: "The resource waits for others."},
			{Reason: NotFound, Status: "Unknown", Class: "progress", Meaning: "An object of the resource, or one that the graph refers to, does " +
				"not exist yet."},
			{Reason: NotReady, Status: "Unknown", Class: "progress", Meaning: "readyWhen does not hold yet."},
			{Reason: Progressing, Status: "Unknown", Class: "progress", Meaning: "The status of the resource is that of one in progress."},
			{Reason: ReadyByDecision, Status: "True", Class: "ok", Meaning: "readyWhen holds, while the object itself reports something else."},
			{Reason: Excluded, Status: "True", Class: "ok", Meaning: "includeWhen leaves the resource out."},
			{Reason: ResourceReady, Status: "True", Class: "ok", Meaning: "The resource is ready."},
		}}
}

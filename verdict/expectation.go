// SPDX-License-Identifier: Apache-2.0

package verdict

// An Expectation is what the definition of a kind lets one expect of its objects. The zero value says that nothing is
// known.
type Expectation struct {
	// Known says that the definition was seen.
	Known bool
	// Status: objects have a status, because the kind has a status subresource or its schema a status with properties.
	Status bool
	// Conditions: the schema of the status has a list of conditions.
	Conditions bool
	// Phase: the status has a property that names a phase or state.
	Phase bool
	// ObservedGeneration: the status has an observedGeneration.
	ObservedGeneration bool
}

// Reports says that objects of the kind report something by which they can be judged.
func (x Expectation) Reports() bool { return x.Conditions || x.Phase || x.ObservedGeneration }

// Static says that objects of the kind have no status to wait for.
func (x Expectation) Static() bool { return x.Known && !x.Status }

// ExpectationFromCRD reads a decoded CustomResourceDefinition (v1 or v1beta1). An empty version selects the storage
// version. A definition without that version gives the zero Expectation.
func ExpectationFromCRD(crd map[string]any, version string) Expectation {
	spec := decoded(crd).get("spec")
	if spec.kind() != kindMap {
		return Expectation{}
	}
	var chosen node
	it := spec.get("versions").items()
	for v := (node{}); it.more(&v); {
		if v.get("name").str() == version && version != "" || version == "" && v.get("storage").isTrue() {
			chosen = v
		}
	}
	if chosen.kind() != kindMap {
		if name := spec.get("version").str(); name == "" || (version != "" && name != version) {
			return Expectation{}
		}
	}
	// v1beta1 may declare schema and subresources once for all versions.
	schema := chosen.get2("schema", "openAPIV3Schema")
	if schema.kind() != kindMap {
		schema = spec.get2("validation", "openAPIV3Schema")
	}
	sub := chosen.get("subresources")
	if sub.kind() != kindMap {
		sub = spec.get("subresources")
	}
	x := Expectation{Known: true}
	status := schema.get2("properties", "status")
	x.Status = sub.get("status").kind() == kindMap || status.get("properties").size() > 0
	props := status.get("properties")
	x.Conditions = props.get("conditions").kind() == kindMap
	x.ObservedGeneration = props.get("observedGeneration").kind() == kindMap
	props.fields(func(name string, _ node) bool {
		if stateKey(name) > 0 {
			x.Phase = true
		}
		return true
	})
	return x
}

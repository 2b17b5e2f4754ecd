// SPDX-License-Identifier: Apache-2.0

package conditions

import "cmp"

// reasonNone stands for a reason that an older condition does not have.
const reasonNone = "NoReasonReported"

// ReadCAPIv1beta2 reads the conditions of a decoded object as Cluster API v1beta2 does before it mirrors one: the list
// status.v1beta2.conditions where there is one, else status.conditions; a condition without a reason gets NoReasonReported. It
// never panics, and gives the conditions that can be read with an error for each fault.
func ReadCAPIv1beta2(object map[string]any) ([]Condition, []error) {
	var errs []error
	for _, path := range []ListPath{
		{steps: []pathStep{{name: "status"}, {name: "v1beta2"}, {name: "conditions"}}},
		{steps: []pathStep{{name: "status"}, {name: "conditions"}}},
	} {
		places, misshapen := path.Lists(object)
		errs = append(errs, misshapen...)
		if len(places) == 0 || places[0].List == nil {
			continue
		}
		l, faults := readList(places[0].List)
		for i := range l.Conditions {
			c := &l.Conditions[i]
			c.Reason, c.Severity = cmp.Or(c.Reason, reasonNone), SeverityNone
			faults = without(faults, l.index[i], "severity")
		}
		kind, _ := object["kind"].(string)
		for _, fault := range faults {
			fault.(*EntryError).Kind, fault.(*EntryError).List = kind, places[0].Path
		}
		return l.Conditions, append(errs, faults...)
	}
	return nil, errs
}

// SPDX-License-Identifier: Apache-2.0

package derive

import "github.com/tristate/tristate/conditions"

// dwell returns what is published of a derived condition: the stored one while a change has not lasted as long as declared. It
// runs before the types that depend on this one, so that they see what is published and nothing else.
func (d *deriver) dwell(t *conditions.Type, c conditions.Condition) conditions.Condition {
	if t.GoBadAfter == 0 && t.RecoverAfter == 0 || d.in.Memory == nil {
		return c
	}
	one := conditions.Kind{Group: d.in.Kind.For.Group, Kind: d.in.Kind.For.Kind, Dialect: d.in.Kind.Dialect, Types: []conditions.Type{*t}}
	one.Types[0].Summary = nil // c is what it comes to
	pass := one.Begin(d.in.Self.Generation, d.stored, d.in.Now)
	pass.SetState(d.in.Memory)
	pass.ReportCondition(c)
	result := pass.Commit()
	if result.RequeueAt.IsZero() {
		return c
	}
	d.next = earliest(d.next, result.RequeueAt)
	return *d.reported[t.Name]
}

// settled ends the waiting of a type that comes to nothing: there is no change that could last.
func (d *deriver) settled(t *conditions.Type) {
	if stored := d.reported[t.Name]; stored != nil {
		d.dwell(t, *stored)
	}
}

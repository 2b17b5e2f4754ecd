// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// defaults has the values that a dialect gives to keys that are left out.
type defaults struct {
	polarity  map[string]conditions.Polarity // by type; others are positive
	summary   map[string]bool                // types whose role is summary
	aside     map[string]bool                // types whose role is informational
	presence  map[conditions.Polarity]conditions.Presence
	lifecycle map[string]conditions.Lifecycle // by type; others are level
	bareTrue  bool                            // a healthy cell may have no reason
	missing   rollup.Missing                  // in roll-ups
}

// paused says of what manages an object, not of the object: Cluster API leaves it out of summaries.
var paused = map[string]bool{"Paused": true}

func defaultsOf(d conditions.Dialect) defaults {
	always := map[conditions.Polarity]conditions.Presence{}
	switch d {
	case conditions.DialectKstatus:
		return defaults{
			polarity: map[string]conditions.Polarity{"Reconciling": conditions.Negative, "Stalled": conditions.Negative},
			summary:  map[string]bool{"Ready": true},
			presence: map[conditions.Polarity]conditions.Presence{conditions.Negative: conditions.PresenceWhenTrue},
			missing:  rollup.MissingUnknown,
		}
	case conditions.DialectKnative:
		return defaults{summary: map[string]bool{"Ready": true, "Succeeded": true}, presence: always, bareTrue: true,
			lifecycle: map[string]conditions.Lifecycle{"Succeeded": conditions.LifecycleCompletion}, missing: rollup.MissingUnknown}
	case conditions.DialectCAPIv1beta1:
		return defaults{summary: map[string]bool{"Ready": true}, aside: paused, presence: always, bareTrue: true,
			missing: rollup.MissingSkip}
	case conditions.DialectCAPIv1beta2:
		return defaults{
			polarity: map[string]conditions.Polarity{"Paused": conditions.Negative, "Deleting": conditions.Negative,
				"RollingOut": conditions.Negative, "ScalingUp": conditions.Negative, "ScalingDown": conditions.Negative,
				"Remediating": conditions.Negative, "Updating": conditions.Negative},
			summary: map[string]bool{"Available": true, "Ready": true}, aside: paused, presence: always,
			missing: rollup.MissingUnknown}
	case conditions.DialectOpenShift:
		return defaults{
			polarity: map[string]conditions.Polarity{"Degraded": conditions.Negative, "Progressing": conditions.Neutral,
				"Upgradeable": conditions.Positive},
			summary: map[string]bool{"Available": true}, presence: always, missing: rollup.MissingUnknown}
	case conditions.DialectGateway:
		return defaults{
			polarity: map[string]conditions.Polarity{"Conflicted": conditions.Negative, "PartiallyInvalid": conditions.Negative},
			summary:  map[string]bool{"Programmed": true},
			presence: map[conditions.Polarity]conditions.Presence{conditions.Negative: conditions.PresenceWhenTrue},
			missing:  rollup.MissingUnknown}
	}
	return defaults{summary: map[string]bool{"Ready": true}, presence: always, missing: rollup.MissingUnknown}
}

// classOf is the class of a cell that declares none.
func classOf(p conditions.Polarity, s conditions.Status, severity conditions.Severity) conditions.Class {
	switch {
	case s == conditions.Unknown:
		return conditions.ClassProgress
	case !p.Bad(s):
		return conditions.ClassOK
	case severity == conditions.SeverityInfo:
		return conditions.ClassProgress
	case severity == conditions.SeverityError:
		return conditions.ClassTerminal
	}
	return conditions.ClassTransient
}

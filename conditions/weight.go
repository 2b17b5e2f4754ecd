// SPDX-License-Identifier: Apache-2.0

package conditions

import "github.com/tristate/tristate/conditions/internal/merge"

const (
	weightUnhealthy = merge.Unhealthy
	weightUnknown   = merge.Unknown
	weightHealthy   = merge.Healthy
)

// Stock reasons, used where a type declares none that fits.
const (
	reasonHealthy     = merge.ReasonHealthy
	reasonUnhealthy   = merge.ReasonUnhealthy
	reasonNotReported = merge.ReasonNotReported
	reasonFailed      = "Failed"     // an error was reported, and no reason is declared
	reasonUndeclared  = "Undeclared" // a cell was reported that is not declared, and there is no fall-back
)

// statusOf returns the status of a weight for a polarity.
func statusOf(w merge.Weight, p Polarity) Status { return merge.StatusOf(w, p == Negative) }

// fallbackReason is the last reason declared for the status, or else the stock one.
func fallbackReason(t *Type, s Status, stock string) string {
	target := t.target()
	return target.Fallback(s, stock)
}

// StockCells returns the cells that a pass writes of its own accord if the type declares no reason for their status: Unknown/NotReported
// for a type that was not reported, and the good status with Healthy for one that starts healthy. Unknown/Undeclared is not among them:
// it replaces a report that the type does not declare, which the pass returns as an error.
func (t *Type) StockCells() []Reason {
	if t.Foreign || t.Summary != nil {
		return nil
	}
	var out []Reason
	add := func(status Status, name string) {
		if fallbackReason(t, status, name) == name && t.reason(name, status) < 0 && present(t.Presence, status, true) {
			out = append(out, Reason{Name: name, Status: status})
		}
	}
	if !t.Optional || t.Unreported == UnreportedUnknown || t.Unreported == UnreportedFail {
		add(Unknown, reasonNotReported)
	}
	if t.StartHealthy {
		add(statusOf(weightHealthy, t.Polarity), reasonHealthy)
	}
	return out
}

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

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// resolve makes a fact a declared cell, or the fallback and an error.
func (k *Kind) resolve(f *fact, derived bool) error {
	t := &k.Types[f.typ]
	if f.Status == "" {
		f.Status = Unknown // GEP-1364: the empty status is to be read as Unknown and never written
	}
	f.cell = t.reason(f.Reason, f.Status)
	if f.cell < 0 || !merge.ValidStatus(f.Status) {
		return k.replace(f, derived)
	}
	r := &t.Reasons[f.cell]
	f.Reason = r.Name
	if f.Severity == SeverityNone {
		f.Severity = r.Severity
	}
	return nil
}

// replace maps an undeclared fact to the declared fallback, unless the type accepts imported reasons.
func (k *Kind) replace(f *fact, derived bool) error {
	t := &k.Types[f.typ]
	undeclared := &undeclaredError{Kind: k.Kind, Type: t.Name, Status: f.Status, Reason: f.Reason}
	if !merge.ValidStatus(f.Status) {
		f.Status, f.Severity = Unknown, SeverityNone
		f.Reason, f.cell = t.fallback(Unknown)
		return undeclared
	}
	f.cell = len(t.Reasons)
	rules := k.Dialect.rules()
	open := len(t.Reasons) == 0 || t.Imported && derived
	switch {
	case f.Reason == "" && rules.BareHealthy && f.Status == statusOf(weightHealthy, t.Polarity):
		return nil // healthy conditions are bare in this dialect
	case open && (rules.Limits != nil && len(f.Reason) <= rules.Limits.Reason || merge.ValidReason(f.Reason)):
		return nil
	}
	f.Severity = SeverityNone
	f.Reason, f.cell = t.fallback(f.Status)
	if f.cell < len(t.Reasons) {
		f.Severity = t.Reasons[f.cell].Severity
		f.Status = t.Reasons[f.cell].Status
		return undeclared
	}
	f.Status = Unknown
	return undeclared
}

// fallback is the last reason declared for the status, otherwise the last Unknown one, otherwise a stock reason.
func (t *Type) fallback(status Status) (string, int) {
	for _, status := range [...]Status{status, Unknown} {
		for i := len(t.Reasons) - 1; i >= 0; i-- {
			if t.Reasons[i].Status == status {
				return t.Reasons[i].Name, i
			}
		}
	}
	return reasonUndeclared, len(t.Reasons)
}

// undeclaredError says that a cell, or with an empty status a type, was reported that the kind does not declare.
type undeclaredError struct {
	Kind, Type string
	Status     Status
	Reason     string
}

func (e *undeclaredError) Error() string {
	if e.Status == "" {
		return fmt.Sprintf("%s: condition %q is not declared", e.Kind, e.Type)
	}
	return fmt.Sprintf("%s: condition %s does not declare %s with reason %q", e.Kind, e.Type, e.Status, e.Reason)
}

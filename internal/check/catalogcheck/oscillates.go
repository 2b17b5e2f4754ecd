// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// oscillates reports rules that look their own type up in the stored list. The loader refuses condition() for that.
func oscillates(p *check.Pass, k *catalog.Kind) {
	for i := range k.Source.Spec.Conditions {
		c := &k.Source.Spec.Conditions[i]
		at := slices.IndexFunc(k.Derivations, func(d *catalog.Derivation) bool { return d.Type.Name == c.Type })
		if at < 0 || c.Derive == nil {
			continue
		}
		for j, rule := range k.Derivations[at].Rules {
			if rule.When == nil || !slices.ContainsFunc(rule.When.Stored(), func(word string) bool { return k.Canonical(word) == c.Type }) {
				continue
			}
			path := fmt.Sprintf("spec.conditions[%d].derive.rules[%d].when", i, j)
			if n := len(c.Derive.Rules); j >= n {
				path = fmt.Sprintf("spec.conditions[%d].derive.otherwise[%d].when", i, j-n)
			}
			p.Report(k.Source.At(path), fmt.Sprintf("%s/%s=%s/%s", k.For.String(), c.Type, rule.Reason.Status, rule.Reason.Name),
				"the rule for %s=%s reads the stored %s: what it writes decides whether it holds next time", c.Type, rule.Reason.Status,
				c.Type).At(path)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
)

// validation checks ten conditions against the schema.
func validation() Scenario {
	return Scenario{Name: "validation of 10 conditions", Runs: []Run{
		{"tristate, core", func() func() error {
			list := wire.FromMeta(listV2(parts, 3, 3))
			return func() error {
				for i := range list {
					if errs := wire.Validate(&list[i], conditions.DialectCore); len(errs) > 0 {
						return errs[0]
					}
				}
				return nil
			}
		}},
		{"apimachinery", func() func() error {
			list := listV2(parts, 3, 3)
			path := field.NewPath("status", "conditions")
			return func() error {
				if errs := metav1validation.ValidateConditions(list, path); len(errs) > 0 {
					return fmt.Errorf("%v", errs)
				}
				return nil
			}
		}},
	}}
}

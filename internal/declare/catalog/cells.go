// SPDX-License-Identifier: Apache-2.0

package catalog

import "github.com/tristate/tristate/conditions"

// Cells returns the cells that the writers of a condition can produce: the declared ones, and those that a pass writes of its own accord.
// closed is false if the writers may produce others, because reasons are forwarded from other conditions or are not all declared.
func (k *Kind) Cells(t *conditions.Type) (cells []conditions.Reason, closed bool) {
	cells = append(append(cells, t.Reasons...), t.StockCells()...)
	c := k.Condition(t.Name)
	forwarded := c != nil && (c.Open != "" || c.Derive != nil && c.Derive.Rules == nil)
	return cells, len(t.Reasons) > 0 && !t.Imported && !forwarded
}

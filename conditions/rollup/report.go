// SPDX-License-Identifier: Apache-2.0

package rollup

import "github.com/tristate/tristate/conditions"

// Report reports the result of a merge under the name of a declared type, with its causes.
func Report(p *conditions.Pass, conditionType string, m Merged) {
	m.Condition.Type = conditionType
	p.ReportCondition(m.Condition, m.Causes...)
}

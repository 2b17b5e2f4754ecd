// SPDX-License-Identifier: Apache-2.0

package conditions

import "slices"

// Reasons of a root in profile operatorpkg.
const (
	reasonUnhealthyDependents   = "UnhealthyDependents"
	reasonReconcilingDependents = "ReconcilingDependents"
)

// finishRoot merges what was added by the rules of a set manager, see [Summarize].
func (m *merger) finishRoot() (Merged, bool) {
	if m.counted == 0 {
		return Merged{}, false
	}
	target := &m.o.Target
	slices.SortStableFunc(m.rated, func(a, b *rated) int { // newest first
		c := timeOf(b).Compare(timeOf(a))
		if c == 0 && m.grouped { // the order of objects says nothing
			c = byContent(a, b)
		}
		return c
	})
	worst := weightHealthy
	for _, r := range m.rated {
		worst = min(worst, r.weight)
	}
	out := Merged{Condition: newCondition(target, worst, "")}
	if m.o.Profile == ProfileOperatorpkg {
		m.operatorpkg(&out.Condition, worst)
	} else {
		m.knative(&out.Condition, worst)
	}
	if m.causes && len(m.rated) > 0 {
		m.sort()
		out.Causes = causesOf(m.rated)
	}
	return out, true
}

// knative copies the newest one that decides. A dependent that is not reported gives a bare Unknown, and only where none is.
func (m *merger) knative(c *Condition, worst weight) {
	for _, r := range m.rated {
		if r.weight == worst && r.view&viewMissing == 0 {
			c.Reason, c.Message = r.reason(), r.message()
			break
		}
	}
	if !m.o.Exact {
		c.Message = CutMessage(c.Message, MaxMessageBytes)
	}
}

// operatorpkg names all that are not healthy with their status.
func (m *merger) operatorpkg(c *Condition, worst weight) {
	switch worst {
	case weightHealthy:
		c.Reason = m.o.Target.Name
		return
	case weightUnhealthy:
		c.Reason = reasonUnhealthyDependents
	default:
		c.Reason = reasonReconcilingDependents
	}
	m.buf.reset()
	for i, r := range m.rated {
		status := Unknown
		if r.condition != nil {
			status = r.condition.Status
		}
		if i > 0 {
			m.buf.b = append(m.buf.b, ", "...)
		}
		m.buf.b = append(append(append(m.buf.b, r.in.Type...), '='), status...)
	}
	c.Message = string(m.buf.b)
	if !m.o.Exact {
		c.Message = CutMessage(c.Message, MaxMessageBytes)
	}
}

// SPDX-License-Identifier: Apache-2.0

package historycheck

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
)

// anyChange reports whether the time moves with reason and message, too, as in the dialects of Knative and Flux, whose libraries move it.
func (c change) anyChange() bool {
	k := c.object.Kind
	return k != nil && (k.Dialect == conditions.DialectKnative || k.Dialect == conditions.DialectKstatus)
}

func moved(p *check.Pass, c change) {
	if c.before.Status != c.after.Status || !c.after.Time.After(c.before.Time) {
		return
	}
	if c.anyChange() && (c.before.Reason != c.after.Reason || c.before.Message != c.after.Message) {
		return
	}
	c.report(p, "the time of %s moved from %s to %s, and its status is still %s", c.after.Type, c.before.RawTime, c.after.RawTime,
		c.after.Status)
}

func frozen(p *check.Pass, c change) {
	if c.before.Status != c.after.Status && c.before.RawTime == c.after.RawTime {
		c.report(p, "%s went from %s to %s, and its time is still %s", c.after.Type, c.before.Status, c.after.Status, c.after.RawTime)
	}
}

func regressed(p *check.Pass, c change) {
	if !c.after.Time.IsZero() && c.after.Time.Before(c.before.Time) {
		c.report(p, "the time of %s went back from %s to %s", c.after.Type, c.before.RawTime, c.after.RawTime)
	}
}

func generationRegressed(p *check.Pass, c change) {
	if c.after.HasGeneration && c.after.Generation < c.before.Generation {
		c.report(p, "the generation of %s went back from %d to %d", c.after.Type, c.before.Generation, c.after.Generation)
	}
}

// left returns a function that reports a type with one of the lifecycles that was True and is not any more.
func left(of ...conditions.Lifecycle) func(*check.Pass, change) {
	return func(p *check.Pass, c change) {
		if c.object.Kind == nil || c.before.Status != "True" || c.after.Status == "True" {
			return
		}
		if t := c.object.Kind.Type(c.after.Type); t != nil && slices.Contains(of, t.Lifecycle) {
			c.report(p, "%s is %s and went from True to %s", t.Name, t.Lifecycle, c.after.Status)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package setters

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
)

// Change is one difference between two states of a list: added without Before, removed without After.
type Change struct {
	Before, After *conditions.Condition
}

// Patch holds the changes of a writer to a list, to be repeated on the list as it is stored by now (three-way merge).
type Patch []Change

// Diff returns the changes that lead from before to after: additions and changes in the order of after, removals in the
// order of before. Conditions that differ only by their time do differ. If a type is repeated the first entry counts.
func Diff(before, after []conditions.Condition) Patch {
	var p Patch
	for i := range after {
		switch j := conditions.Find(before, after[i].Type); {
		case j < 0:
			p = append(p, Change{After: clone(&after[i])})
		case !sameCondition(&before[j], &after[i]):
			p = append(p, Change{Before: clone(&before[j]), After: clone(&after[i])})
		}
	}
	for i := range before {
		if conditions.Find(after, before[i].Type) < 0 {
			p = append(p, Change{Before: clone(&before[i])})
		}
	}
	return p
}

// PatchOptions says how [Patch.Apply] merges.
type PatchOptions struct {
	// Owned are the types of which the patch is right whatever is stored; Force makes that all.
	Owned []string
	Force bool
	// Now is the time of conditions that bring none.
	Now time.Time
}

// ConflictError says that another writer wrote a condition that a patch changes and does not own.
type ConflictError struct {
	Change Change
	Latest *conditions.Condition // as it is stored; nil where it was removed
}

func (e *ConflictError) Error() string {
	c, verb := e.Change.After, "set"
	switch {
	case c == nil:
		c, verb = e.Change.Before, "remove"
	case e.Latest == nil:
		return fmt.Sprintf("condition %q: cannot set it: another writer removed it", c.Type)
	}
	return fmt.Sprintf("condition %q: cannot %s it: another writer wrote %s with reason %q", c.Type, verb, e.Latest.Status, e.Latest.Reason)
}

// Apply repeats the changes on the latest list. A type that is not owned is changed only if the latest list has it as it was
// before; one that already says what the patch says is kept. Anything else is a conflict: it is left as it is, gives a
// [*ConflictError], and hinders no other change. The errors are joined in the order of the changes. Times of what it
// writes are cut to whole seconds, as the API server stores them; what it keeps stays as it is. The given list is not changed.
func (p Patch) Apply(latest []conditions.Condition, o PatchOptions) ([]conditions.Condition, error) {
	if len(p) == 0 {
		return latest, nil
	}
	out := slices.Clone(latest)
	var errs []error
	for _, change := range p {
		next, ok := o.apply(out, change)
		if !ok {
			e := &ConflictError{Change: change}
			if i := conditions.Find(out, change.name()); i >= 0 {
				e.Latest = clone(&out[i])
			}
			errs = append(errs, e)
			continue
		}
		out = next
	}
	return out, errors.Join(errs...)
}

func (c Change) name() string {
	if c.After != nil {
		return c.After.Type
	}
	return c.Before.Type
}

// apply makes one change, and reports false for a conflict.
func (o *PatchOptions) apply(list []conditions.Condition, c Change) ([]conditions.Condition, bool) {
	if c.After == nil && c.Before == nil {
		return list, true
	}
	name := c.name()
	mine := o.Force || slices.Contains(o.Owned, name)
	var latest *conditions.Condition
	if i := conditions.Find(list, name); i >= 0 {
		latest = &list[i]
	}
	switch {
	case c.After == nil && latest == nil:
		return list, true
	case c.After == nil:
		if !mine && !sameState(latest, c.Before) {
			return nil, false
		}
		return slices.DeleteFunc(slices.Clone(list), func(c conditions.Condition) bool { return c.Type == name }), true
	case mine:
	case c.Before == nil && latest == nil:
	case latest == nil:
		return nil, false
	case c.Before != nil && sameCondition(latest, c.Before):
	case sameState(latest, c.After):
		return list, true
	default:
		return nil, false
	}
	return SetCAPIv1beta1(list, *c.After, o.Now), true
}

// sameCondition reports whether two conditions are equal in everything.
func sameCondition(a, b *conditions.Condition) bool {
	return sameState(a, b) && a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

// sameState reports whether two conditions of one type are equal except for their times.
func sameState(a, b *conditions.Condition) bool {
	return a.Status == b.Status && a.Severity == b.Severity && a.Reason == b.Reason && a.Message == b.Message
}

func clone(c *conditions.Condition) *conditions.Condition {
	d := *c
	return &d
}

// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Goal is when a wait is over. The zero value waits for all objects, for ever. Durations that are zero are not in force.
type Goal struct {
	// Count is how many objects must be met; zero means all. Percent, from 1 to 100, is the same as a share of those
	// known, rounded up.
	Count, Percent int
	// StableFor is how long an object must stay as it should be.
	StableFor time.Duration
	// Timeout ends the wait, counted from its start; ObjectTimeout ends it for one object, counted from when it was first
	// observed.
	Timeout, ObjectTimeout time.Duration
	// NoProgress ends the wait when none of the objects has changed for so long.
	NoProgress time.Duration
	// Superseded ends the wait when the generation of a needed object moves on from the first one that was seen: its spec was changed, and the
	// change that is awaited is not the last one any more. A new object of the same name is none of that, unless its generation is higher.
	Superseded bool
	// Once looks at the objects a single time: the wait ends when all that exist are known, without regard to durations.
	Once bool
	// Gone makes a selector that finds nothing count as met.
	Gone bool
}

// ParseCount reads how many objects are needed: a positive number, or a percentage from 1% to 100%.
func ParseCount(text string) (count, percent int, err error) {
	number, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || isPercent && n > 100 {
		return 0, 0, fmt.Errorf("%q is neither a number of objects nor a percentage: write 3 or 80%%", text)
	}
	if isPercent {
		return 0, n, nil
	}
	return n, 0, nil
}

// needed returns how many of total objects must be met.
func (g Goal) needed(total int) int {
	switch {
	case g.Count > 0:
		return g.Count
	case g.Percent > 0:
		return (total*g.Percent + 99) / 100
	}
	return total
}

// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// An object is contested if another writer keeps reverting it: after contestCorrections corrections within contestWindow it is corrected
// only once per contestPause.
const (
	contestCorrections = 5
	contestWindow      = 10 * time.Minute
	contestPause       = time.Minute
)

// contests records when objects were corrected, by UID.
type contests struct {
	mu sync.Mutex
	m  map[types.UID][]time.Time
}

// correct records a correction of an object. It reports whether the object may be corrected now, and whether it is contested.
func (c *contests) correct(uid types.UID, now time.Time) (free, contested bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[types.UID][]time.Time{}
	}
	times := slices.DeleteFunc(c.m[uid], func(t time.Time) bool { return now.Sub(t) > contestWindow })
	contested = len(times) > contestCorrections
	free = !contested || now.Sub(times[len(times)-1]) > contestPause
	if free {
		times = append(times, now)
	}
	c.m[uid] = times
	if len(c.m) > 10000 { // drops deleted objects
		for other, t := range c.m {
			if now.Sub(t[len(t)-1]) > contestWindow {
				delete(c.m, other)
			}
		}
	}
	return free, contested
}

// contestError names the field that another writer keeps changing.
type contestError struct{ object, path string }

func (e *contestError) Error() string {
	return fmt.Sprintf("another writer keeps changing %s of %s", e.path, e.object)
}

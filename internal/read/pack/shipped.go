// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// Shipped returns the rule packs that come with the module.
func Shipped() (*catalog.Set, error) { return shipped() }

// shipped is read once: it is the same for everybody, and costly to compile.
var shipped = sync.OnceValues(func() (*catalog.Set, error) { return catalog.LoadFS(catalogs.Packs, "packs") })

// byGroup caches the kinds of shipped packs by API group. Entries are never removed.
var byGroup = struct {
	sync.RWMutex
	known knowing
	read  map[string]bool // files
	asked map[string]bool // groups
}{known: knowing{}, read: map[string]bool{}, asked: map[string]bool{}}

// maxGroups bounds the groups that are remembered; files are searched for further ones each time.
const maxGroups = 1 << 14

// shippedFor returns the kinds of an API group that shipped packs judge. A pack is read when a group that it is for is first asked for.
// Invalid packs are ignored here; their tests report them.
func shippedFor(group string) map[string]versions {
	if group == "" {
		return nil // which no pack is about
	}
	c := &byGroup
	c.RLock()
	k, asked := c.known[group], c.asked[group]
	c.RUnlock()
	if asked {
		return k
	}
	c.Lock()
	defer c.Unlock()
	files, _ := catalog.ReadFS(catalogs.Packs, "packs")
	for name, data := range files {
		if c.read[name] || !catalog.ShippedFor(group, data) {
			continue
		}
		c.read[name] = true
		if set, err := catalog.LoadShipped(map[string][]byte{name: data}); err == nil {
			c.known.add(set)
		}
	}
	if len(c.asked) < maxGroups {
		c.asked[group] = true
	}
	return c.known[group]
}

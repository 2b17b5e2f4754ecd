// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/catalog"
)

// Shipped returns the rule packs that come with the module.
func Shipped() (*catalog.Set, error) { return shipped() }

// shipped is read once: it is the same for everybody, and costly to compile.
var shipped = sync.OnceValues(func() (*catalog.Set, error) { return catalog.LoadFS(catalogs.Packs, "packs") })

// byGroup is what shipped packs know. It fills up as API groups come up and is never emptied.
var byGroup = struct {
	sync.RWMutex
	known knowing
	read  map[string]bool // files
	asked map[string]bool // groups
}{known: knowing{}, read: map[string]bool{}, asked: map[string]bool{}}

// maxGroups bounds the groups that are remembered; files are searched for further ones each time.
const maxGroups = 1 << 14

// shippedFor returns what the shipped packs know of the kinds of an API group. A pack is read when it first may be about the group, which is when
// it mentions it. What is wrong with a pack its tests say.
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
		if c.read[name] || !bytes.Contains(data, []byte(group)) {
			continue
		}
		c.read[name] = true
		if set, err := catalog.Load(map[string][]byte{name: data}); err == nil {
			c.known.add(set)
		}
	}
	if len(c.asked) < maxGroups {
		c.asked[group] = true
	}
	return c.known[group]
}

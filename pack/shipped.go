// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"sync"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
)

// Shipped gives the rule packs that come with the module.
func Shipped() (*catalog.Set, error) { return shipped() }

// shipped is read once: it is the same for everybody, and costly to compile.
var shipped = sync.OnceValues(func() (*catalog.Set, error) { return catalog.LoadFS(catalogs.Packs, "packs") })

// byGroup is what shipped packs know, by API group. It fills up as groups come up and is never emptied: it is bounded by maxGroups.
var byGroup = struct {
	sync.RWMutex
	groups map[string]knowing
	read   map[string]bool // files
	all    knowing
}{groups: map[string]knowing{}, read: map[string]bool{}, all: knowing{}}

// maxGroups bounds the groups that are remembered to be without a pack; further ones are looked for each time.
const maxGroups = 1 << 14

// shippedFor gives what the shipped packs know of the kinds of an API group. A pack is read when it first may be about the group, which is when
// it mentions it. What is wrong with a pack its tests say.
func shippedFor(group string) knowing {
	if group == "" {
		return nil // which no pack is about
	}
	c := &byGroup
	c.RLock()
	k, known := c.groups[group]
	c.RUnlock()
	if known {
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
			c.all.add(set)
		}
	}
	k = nil
	for kind, about := range c.all {
		if kind.Group == group {
			if k == nil {
				k = knowing{}
			}
			k[kind] = about
		}
	}
	if len(c.groups) < maxGroups {
		c.groups[group] = k
	}
	return k
}

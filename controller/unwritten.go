// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/internal/declare/english"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Unwritten returns, for each managed kind of which some object or all of them cannot be written at the moment, the reason: the API server
// does not serve the kind, or in no version that its catalog is for, there is no object, or another field manager owns the derived
// conditions. It is complete once [Controller.Ready] returns nil.
func (c *Controller) Unwritten() map[schema.GroupKind]string {
	out, set, refused := map[schema.GroupKind]string{}, c.inForce(), c.refused()
	for gk := range set.kinds {
		k := set.Kind(gk)
		how, answer := c.kinds.Resolve(gk, k.Versions)
		n := len(c.graph.IDs(gk))
		switch {
		case answer == watchset.Absent:
			out[gk] = "the API server does not serve the kind"
		case answer == watchset.Found && !k.Holds(how.Resource.Version):
			out[gk] = otherVersion(how.Resource.Version, k.Versions)
		case answer == watchset.Found && n == 0:
			out[gk] = "there is no object of the kind"
		case refused[gk] > 0:
			out[gk] = fmt.Sprintf("%s left alone: another field manager owns derived conditions (--adopt %s takes them over)",
				english.Count(refused[gk], "object"), gk)
		}
	}
	return out
}

// otherVersion says that the API server serves a kind in a version that its catalog is not for.
func otherVersion(served string, versions []string) string {
	return fmt.Sprintf("the API server serves version %s, and the catalog is for %s", served, strings.Join(versions, ", "))
}

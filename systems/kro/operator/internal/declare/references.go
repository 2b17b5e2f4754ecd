// SPDX-License-Identifier: Apache-2.0

package declare

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// references returns the relations to the objects that a graph only refers to, by the ids of their resources, so that tristate finds them
// from an instance. A name or a namespace may read fields of the instance; one that reads another resource, and a selector, makes no
// relation.
func references(rgd *v1alpha1.ResourceGraphDefinition) map[string]catalog.Relation {
	var out map[string]catalog.Relation
	for _, resource := range rgd.Spec.Resources {
		to := resource.ExternalRef
		if to == nil || !to.Metadata.HasName() {
			continue
		}
		name, fine := overSelf(to.Metadata.Name)
		namespace, also := overSelf(to.Metadata.Namespace)
		ref := fmt.Sprintf("{'name': %s, 'namespace': %s}", name, namespace)
		if _, issues := expr.Compile(ref, expr.ScopeSelf, expr.Any); !fine || !also || len(issues) > 0 {
			continue
		}
		if out == nil {
			out = map[string]catalog.Relation{}
		}
		gk := schema.FromAPIVersionAndKind(to.APIVersion, to.Kind).GroupKind()
		out[resource.ID] = catalog.Relation{Kind: gk.String(), Ref: ref, Role: "reads", Single: ptr.To(true), Meaning: "The object of resource " +
			resource.ID + ", which the graph only refers to."}
	}
	return out
}

// field is an expression of kro that reads one field of the instance.
var field = regexp.MustCompile(`\$\{\s*schema((?:\.[A-Za-z_][A-Za-z0-9_]*)+)\s*\}`)

// overSelf converts a text with expressions of kro to an expression over self, and reports whether it only reads fields of the instance.
func overSelf(text string) (string, bool) {
	out, end := "", 0
	for _, at := range field.FindAllStringSubmatchIndex(text, -1) {
		out += strconv.Quote(text[end:at[0]]) + " + string(self" + text[at[2]:at[3]] + ") + "
		end = at[1]
	}
	return out + strconv.Quote(text[end:]), !strings.Contains(field.ReplaceAllString(text, ""), "${")
}

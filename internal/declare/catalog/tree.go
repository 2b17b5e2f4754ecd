// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"regexp"

	"k8s.io/apimachinery/pkg/labels"
)

// The forms of a path to a field, and of a part of a value that objects share.
var (
	pathForm = regexp.MustCompile(`^[\w-]+(\.[\w-]+)*$`)
	partForm = regexp.MustCompile(`^(namespace|name|uid|(label|annotation):[\w./-]+|spec(\.[\w-]+)+)$`)
)

// tree checks the branches: each has what its way needs, and nothing else.
func (c *compiler) tree() {
	gk := c.kind.For
	for i, b := range c.source.Spec.Tree {
		at, way := index("spec.tree", i), cmp.Or(b.Way, "refs")
		selects := way == "selector" || way == "labels"
		fields := selects || way == "refs" || way == "refsBy" || way == "inventory"
		switch {
		case gk.Kind == AnyKind && (gk.Group != AnyGroup || way != "shares"):
			c.fail(at, "name the kinds", "a catalog for every kind has no branches but those of way shares, for every group")
		case fields != (len(b.Paths) > 0):
			c.fail(at, "", "paths go with the ways refs, refsBy, selector, labels and inventory, and each of these needs them")
		case (way == "shares") != (len(b.Self) > 0), (len(b.Self) > 0) != (len(b.Item) > 0), b.Labels != "" && way != "shares":
			c.fail(at, "write both self and item with way: shares", "self, item and labels go with way shares, which needs self and item")
		case b.Kind == "" && (way == "refsBy" || way == "owned"):
			c.fail(at, "write kind: Kind.group", "branch %q needs the kind of its objects", b.Relation)
		case selects && (len(b.Paths) > 1 || b.Kind != "" && b.Kind != "Pod"):
			c.fail(at, "write one path, and no kind", "way %s leads to pods by one field", way)
		case way == "remains" && gk.String() != "Namespace" && gk.String() != "CustomResourceDefinition.apiextensions.k8s.io":
			c.fail(at, "", "way remains is for the kinds Namespace and CustomResourceDefinition.apiextensions.k8s.io")
		}
		c.forms(at+".paths", b.Paths, pathForm, "path to a field", "spec.volumes.secret")
		c.forms(at+".self", b.Self, partForm, "part of a value", "namespace, label:KEY or spec.NAME")
		c.forms(at+".item", b.Item, partForm, "part of a value", "namespace, label:KEY or spec.NAME")
		if _, err := labels.Parse(b.Labels); err != nil {
			c.fail(at+".labels", "", "%v", err)
		}
	}
}

// forms checks the form of each text of a list.
func (c *compiler) forms(at string, list []string, form *regexp.Regexp, what, like string) {
	for i, text := range list {
		if !form.MatchString(text) {
			c.fail(index(at, i), "write it as "+like, "%q is no %s", cut(text), what)
		}
	}
}

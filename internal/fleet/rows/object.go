// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// mostEntries bounds the labels and conditions of one object that a row keeps.
const mostEntries = 64

// labelsOf returns the labels in the form of a row.
func labelsOf(o *relation.Object) string {
	labels := o.Labels()
	if len(labels) == 0 {
		return ""
	}
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(labels)) {
		if i == mostEntries {
			break
		}
		b.WriteString(name + "=" + labels[name] + "\x00")
	}
	return b.String()
}

// condition is one of an object.
type condition struct {
	kind, status, reason, message string
	since                         time.Time
}

// listed returns the conditions of an object, in the order that it has them.
func listed(o *relation.Object) []condition {
	var out []condition
	for _, m := range nested.Maps(o.Content, "status", "conditions") {
		c := condition{kind: nested.Text(m, "type"), status: nested.Text(m, "status"), reason: nested.Text(m, "reason"),
			message: nested.Text(m, "message")}
		if c.kind == "" || len(out) == mostEntries {
			continue
		}
		c.since, _ = time.Parse(time.RFC3339, nested.Text(m, "lastTransitionTime"))
		out = append(out, c)
	}
	return out
}

// conditionsOf returns the conditions in the form of a row.
func conditionsOf(o *relation.Object) string {
	list := listed(o)
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = c.kind + "=" + c.status + "=" + c.reason + "\x00"
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// parted returns the entries of a list of a row.
func parted(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
}

// controllerOf returns the owner that controls an object, or else its first owner.
func controllerOf(o *relation.Object) (relation.ID, bool) {
	var first relation.ID
	for _, m := range nested.Maps(o.Content, "metadata", "ownerReferences") {
		kind, name := nested.Text(m, "kind"), nested.Text(m, "name")
		if kind == "" || name == "" {
			continue
		}
		gk := schema.FromAPIVersionAndKind(nested.Text(m, "apiVersion"), kind).GroupKind()
		id := relation.ID{GroupKind: gk, Namespace: o.Namespace, Name: name}
		if m["controller"] == true {
			return id, true
		}
		if first.Name == "" {
			first = id
		}
	}
	return first, first.Name != ""
}

// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// controller finds the operator of a custom resource without a status, or with one that is not about its spec, and of one that is being
// deleted: the pods whose account may write that status, if they are not ready.
func (r *resolver) controller() {
	group := r.o.Group
	if !strings.Contains(group, ".") || catalog.OfKubernetes(group) {
		return
	}
	if len(nested.Map(r.o.Content, "status")) > 0 && r.j.Reason != "GenerationNotObserved" && !r.o.Deleting {
		return
	}
	for _, account := range r.v.writers(r.o.GroupKind) {
		for _, pod := range r.v.indexed("account", podKind, account.Namespace+"/"+account.Name, func(o *Object) []string {
			if podReady(o) {
				return nil
			}
			return []string{o.Namespace + "/" + nested.Text(o.Content, "spec", "serviceAccountName")}
		}) {
			r.add(pod.ID, byIdentity, false)
		}
	}
}

const rbac = "rbac.authorization.k8s.io"

// writers returns the accounts that may write the status of a kind, by roles that name its group.
func (v *View) writers(gk schema.GroupKind) (out []ID) {
	for _, kind := range []string{"ClusterRole", "Role"} {
		for _, role := range v.indexed("writes", schema.GroupKind{Group: rbac, Kind: kind}, gk.Group, groupsWritten) {
			if !slices.ContainsFunc(nested.Maps(role.Content, "rules"), func(rule map[string]any) bool { return writes(rule, gk) }) {
				continue
			}
			for _, binding := range []string{"ClusterRoleBinding", "RoleBinding"} {
				for _, b := range v.indexed("binds", schema.GroupKind{Group: rbac, Kind: binding}, kind+"/"+role.Name, func(o *Object) []string {
					ref := nested.Map(o.Content, "roleRef")
					return []string{nested.Text(ref, "kind") + "/" + nested.Text(ref, "name")}
				}) {
					for _, s := range nested.Maps(b.Content, "subjects") {
						if s["kind"] == "ServiceAccount" {
							out = append(out, ID{Namespace: cmp.Or(nested.Text(s, "namespace"), b.Namespace), Name: nested.Text(s, "name")})
						}
					}
				}
			}
		}
	}
	return out
}

// groupsWritten returns the API groups that a role names, unless it is one for people, which other roles take over.
func groupsWritten(role *Object) (out []string) {
	for key := range role.Labels() {
		if strings.HasPrefix(key, rbac+"/aggregate-to-") {
			return nil
		}
	}
	for _, rule := range nested.Maps(role.Content, "rules") {
		for _, group := range nested.List(rule, "apiGroups") {
			if text, ok := group.(string); ok && text != "*" && text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// writes reports whether a rule of a role allows to write the status of a kind.
func writes(rule map[string]any, gk schema.GroupKind) bool {
	has := func(field string, fits func(string) bool) bool {
		return slices.ContainsFunc(nested.List(rule, field), func(item any) bool {
			text, _ := item.(string)
			return text == "*" || fits(text)
		})
	}
	kind := strings.ToLower(gk.Kind)
	return has("apiGroups", func(s string) bool { return s == gk.Group }) &&
		has("verbs", func(s string) bool { return s == "update" || s == "patch" }) &&
		has("resources", func(s string) bool {
			resource, sub, found := strings.Cut(s, "/")
			return slices.Contains(resourcesOf(kind), resource) && (!found || sub == "status" || sub == "*")
		})
}

// resourcesOf returns what the resource of a kind in lower case may be called.
func resourcesOf(kind string) []string {
	return []string{kind, kind + "s", kind + "es", strings.TrimSuffix(kind, "y") + "ies"}
}

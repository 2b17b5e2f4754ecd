// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	kustomizationKind = schema.GroupKind{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}
	helmReleaseKind   = schema.GroupKind{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}
	applicationKind   = schema.GroupKind{Group: "argoproj.io", Kind: "Application"}
	secretKind        = schema.GroupKind{Kind: "Secret"}
)

// releaser returns the object that applied another one by the marks of Flux, Argo CD and Helm; an empty kind without one. That of Helm is
// the Secret of the deployed or failed release.
func releaser(o *Object) ID {
	for _, gk := range []schema.GroupKind{helmReleaseKind, kustomizationKind} {
		if name := o.mark("labels", gk.Group+"/name"); name != "" {
			return ID{gk, o.mark("labels", gk.Group+"/namespace"), name}
		}
	}
	if id, _, found := strings.Cut(o.mark("annotations", "argocd.argoproj.io/tracking-id"), ":"); found {
		at := strings.Index(id, "_")
		return ID{applicationKind, id[:max(at, 0)], id[at+1:]}
	}
	if name := o.mark("annotations", "meta.helm.sh/release-name"); name != "" {
		return ID{secretKind, o.mark("annotations", "meta.helm.sh/release-namespace"), name}
	}
	return ID{}
}

// Released returns the kinds, with namespaces, that hold the revisions of the objects which may explain a cause: those of their releases,
// and of StatefulSets and DaemonSets.
func (v *View) Released(c Cause) []ID {
	var out []ID
	for _, id := range v.Edited(c) {
		o := v.Graph.Get(id)
		if o == nil {
			continue
		}
		if r := releaser(o); r.Kind != "" {
			out = append(out, ID{GroupKind: r.GroupKind, Namespace: r.Namespace})
		}
		if o.GroupKind == statefulSetKind || o.GroupKind == daemonSetKind {
			out = append(out, ID{GroupKind: revisionKind, Namespace: o.Namespace})
		}
	}
	slices.SortFunc(out, Compare)
	return slices.Compact(out)
}

// revised is what was applied last, and before.
type revised struct {
	ID
	path, from, to string
	at             time.Time
	text           string
}

// revisedBy returns the last revision of the release of an object; nil without one. Of Helm these are the labels of its Secrets; what these
// hold is not read.
func (v *View) revisedBy(o *Object) *revised {
	id := releaser(o)
	var all []*Object
	switch id.GroupKind {
	case schema.GroupKind{}:
	case secretKind:
		all = v.indexed("release", secretKind, id.Namespace+"/"+id.Name, func(o *Object) []string {
			if o.mark("labels", "owner") != "helm" {
				return nil
			}
			return []string{o.Namespace + "/" + o.mark("labels", "name")}
		})
	default: // Argo CD may leave the namespace out
		all = v.indexed("releaser", id.GroupKind, id.Name, func(o *Object) []string { return []string{o.Name} })
		all = slices.DeleteFunc(all, func(o *Object) bool { return id.Namespace != "" && o.Namespace != id.Namespace })
	}
	if len(all) == 0 {
		return nil
	}
	by := all[0]
	status := nested.Map(by.Content, "status")
	history := nested.Maps(status, "history")
	if id.GroupKind == applicationKind { // the others have the newest first
		slices.Reverse(history)
	}
	history = append(history, nil, nil)
	now, before := history[0], history[1]
	r := &revised{ID: by.ID}
	switch id.GroupKind {
	case secretKind:
		number := func(o *Object) int64 { n, _ := strconv.ParseInt(o.mark("labels", "version"), 10, 64); return n }
		last := slices.MaxFunc(all, func(a, b *Object) int { return cmp.Compare(number(a), number(b)) })
		r.ID, r.path, r.to, r.at = last.ID, "status.revision", fmt.Sprint(number(last)), createdAt(last)
		if n := number(last); n > 1 {
			r.from = fmt.Sprint(n - 1)
		}
		r.text = fmt.Sprintf("Helm release %s, revision %s", id.Name, r.to)
	case applicationKind:
		r.path, r.from, r.to = "status.history.revision", short(nested.Text(before, "revision")), short(nested.Text(now, "revision"))
		r.at, r.text = parsed(nested.Text(now, "deployedAt")), fmt.Sprintf("Application %s at %s", by.Name, r.to)
	case helmReleaseKind:
		r.path, r.from, r.to = "status.history.chartVersion", nested.Text(before, "chartVersion"), nested.Text(now, "chartVersion")
		r.at, r.text = parsed(nested.Text(now, "lastDeployed")), fmt.Sprintf("HelmRelease %s, revision %d of chart %s %s", by.Name,
			nested.Number(now, "version"), nested.Text(now, "chartName"), r.to)
	case kustomizationKind:
		r.path, r.from = "status.lastAppliedRevision", short(nested.Text(before, "metadata", "revision"))
		r.to, r.at = short(nested.Text(status, "lastAppliedRevision")), parsed(nested.Text(now, "firstReconciled"))
		r.text = fmt.Sprintf("Kustomization %s at %s", by.Name, r.to)
	}
	if r.to == "" {
		return nil
	}
	return r
}

// short cuts a revision of git to the branch and the first digits of its hash.
func short(revision string) string {
	const digits = 12
	if at := strings.LastIndexAny(revision, ":@/") + 1; len(revision)-at >= 40 {
		return revision[:at+digits]
	}
	return revision
}

// manager returns the name of a field manager with the release that it applied, if it is a tool that applies releases or is not known.
func (v *View) manager(o *Object, name string) string {
	tool := slices.ContainsFunc([]string{"helm", "kustomize-controller", "argocd", "argo-cd"}, func(word string) bool {
		return strings.HasPrefix(strings.ToLower(name), word)
	})
	r := v.revisedBy(o)
	switch {
	case r == nil || !tool && name != "":
		return name
	case name == "":
		return r.text
	}
	return name + " (" + r.text + ")"
}

// releases adds the last revision of the release of an object, if the one before is known and nothing shows which field it changed.
func (e *edits) releases(o *Object) {
	if r := e.v.revisedBy(o); r != nil && r.from != "" && r.from != r.to && !r.at.IsZero() && len(e.out) == 0 {
		e.add(Change{ID: r.ID, Path: r.path, From: r.from, To: r.to, At: r.at}, false)
	}
}

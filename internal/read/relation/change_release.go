// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	label := func(key string) string { return o.mark("labels", key) }
	for _, gk := range []schema.GroupKind{helmReleaseKind, kustomizationKind} {
		if name := label(gk.Group + "/name"); name != "" {
			return ID{gk, label(gk.Group + "/namespace"), name}
		}
	}
	if id, _, found := strings.Cut(o.mark("annotations", "argocd.argoproj.io/tracking-id"), ":"); found {
		namespace, name, found := strings.Cut(id, "_")
		if !found {
			namespace, name = "", id
		}
		return ID{applicationKind, namespace, name}
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
		if o.Group == "apps" && (o.Kind == "StatefulSet" || o.Kind == "DaemonSet") {
			out = append(out, ID{GroupKind: revisionKind, Namespace: o.Namespace})
		}
	}
	slices.SortFunc(out, Compare)
	return slices.Compact(out)
}

// revised is what was applied last, and before.
type revised struct {
	*Object
	path, from, to string
	at             time.Time
	text           string
}

// revisedBy returns the last revision of the release of an object; nil without one.
func (v *View) revisedBy(o *Object) *revised {
	id := releaser(o)
	switch id.GroupKind {
	case secretKind:
		return v.helmRevision(id)
	case applicationKind:
		for _, app := range v.Graph.List(applicationKind) {
			if app.Name != id.Name || id.Namespace != "" && app.Namespace != id.Namespace {
				continue
			}
			history := mapsIn(sub(app.Content, "status")["history"])
			if len(history) == 0 {
				return nil
			}
			last := history[len(history)-1]
			r := &revised{Object: app, path: "status.history.revision", to: short(textIn(last, "revision")), at: parsed(textIn(last, "deployedAt"))}
			if len(history) > 1 {
				r.from = short(textIn(history[len(history)-2], "revision"))
			}
			r.text = fmt.Sprintf("Application %s at %s", app.Name, r.to)
			return r
		}
	case helmReleaseKind:
		release := v.Graph.Get(id)
		if release == nil {
			return nil
		}
		history := mapsIn(sub(release.Content, "status")["history"]) // the newest first
		if len(history) == 0 {
			return nil
		}
		r := &revised{Object: release, path: "status.history.chartVersion", to: textIn(history[0], "chartVersion"),
			at: parsed(textIn(history[0], "lastDeployed"))}
		if len(history) > 1 {
			r.from = textIn(history[1], "chartVersion")
		}
		r.text = fmt.Sprintf("HelmRelease %s, revision %d of chart %s %s", release.Name, numberIn(history[0], "version"),
			textIn(history[0], "chartName"), r.to)
		return r
	case kustomizationKind:
		k := v.Graph.Get(id)
		if k == nil {
			return nil
		}
		status := sub(k.Content, "status")
		r := &revised{Object: k, path: "status.lastAppliedRevision", to: short(textIn(status, "lastAppliedRevision"))}
		if history := mapsIn(status["history"]); len(history) > 0 { // the newest first
			r.at = parsed(textIn(history[0], "firstReconciled"))
			if len(history) > 1 {
				r.from = short(textIn(sub(history[1], "metadata"), "revision"))
			}
		}
		r.text = fmt.Sprintf("Kustomization %s at %s", k.Name, r.to)
		return r
	}
	return nil
}

// helmRevision returns the last revision of a release of Helm, by the labels of its Secrets; what these hold is not read.
func (v *View) helmRevision(id ID) *revised {
	var last *Object
	number := func(o *Object) int64 { n, _ := strconv.ParseInt(o.mark("labels", "version"), 10, 64); return n }
	for _, s := range v.indexed("release", secretKind, id.Namespace+"/"+id.Name, func(o *Object) []string {
		if o.mark("labels", "owner") != "helm" {
			return nil
		}
		return []string{o.Namespace + "/" + o.mark("labels", "name")}
	}) {
		if last == nil || number(s) > number(last) {
			last = s
		}
	}
	if last == nil {
		return nil
	}
	r := &revised{Object: last, path: "status.revision", to: fmt.Sprint(number(last)), at: timeOf(last, "creationTimestamp")}
	if n := number(last); n > 1 {
		r.from = fmt.Sprint(n - 1)
	}
	r.text = fmt.Sprintf("Helm release %s, revision %d", id.Name, number(last))
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
	tool := name == ""
	for _, word := range []string{"helm", "kustomize-controller", "argocd", "argo-cd"} {
		tool = tool || strings.HasPrefix(strings.ToLower(name), word)
	}
	r := v.revisedBy(o)
	switch {
	case r == nil || !tool:
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

// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/served"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Controller is a controller of another project.
type Controller struct {
	Name, Namespace, Deployment string
	Group, Kind                 string // a kind that it serves
	Optional                    bool   // only what uses its kinds needs it
}

// DefaultControllers are those that the document names, at the places where their projects install them.
var DefaultControllers = []Controller{
	{"flux source-controller", "flux-system", "source-controller", "source.toolkit.fluxcd.io", "OCIRepository", false},
	{"flux helm-controller", "flux-system", "helm-controller", "helm.toolkit.fluxcd.io", "HelmRelease", false},
	{"cert-manager", "cert-manager", "cert-manager", "cert-manager.io", "Certificate", false},
	{"external-secrets", "external-secrets", "external-secrets", "external-secrets.io", "ExternalSecret", false},
	{"velero", "velero", "velero", "velero.io", "Backup", false},
	{"argo-workflows", "argo", "workflow-controller", "argoproj.io", "Workflow", true},
}

// Place sets where a controller of a list runs: NAME=NAMESPACE/DEPLOYMENT, in which blanks of the name are dashes. It returns another list.
func Place(list []Controller, text string) ([]Controller, error) {
	name, place, _ := strings.Cut(text, "=")
	namespace, deployment, _ := strings.Cut(place, "/")
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(deployment)) > 0 {
		return nil, fmt.Errorf("%q is not NAME=NAMESPACE/DEPLOYMENT", text)
	}
	out, names := slices.Clone(list), []string{}
	for i, c := range out {
		known := strings.ReplaceAll(c.Name, " ", "-")
		if known == name {
			out[i].Namespace, out[i].Deployment = namespace, deployment
			return out, nil
		}
		names = append(names, known)
	}
	return nil, fmt.Errorf("controller %q is not one of %s", name, strings.Join(names, ", "))
}

// Absent returns why the controller of a kind is not present; empty: it is. Its kind has to be served, and its Deployment has to exist,
// whether or not it is healthy. Of a group that no controller of the list has, the kind decides alone.
func (e *Env) Absent(ctx context.Context, gvk schema.GroupVersionKind) (string, error) {
	if !e.Served.Serves(gvk) {
		return fmt.Sprintf("the cluster does not serve %s", gvk.GroupKind()), nil
	}
	i := slices.IndexFunc(e.Controllers, func(c Controller) bool { return c.Group == gvk.Group })
	if i < 0 {
		return "", nil
	}
	c := e.Controllers[i]
	err := e.Manager.GetClient().Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: c.Deployment}, &appsv1.Deployment{})
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("%s is not installed: there is no Deployment %s in namespace %s", c.Name, c.Deployment, c.Namespace), nil
	}
	return "", err
}

// VeleroNamespace returns the namespace where Velero runs, and with it its Backups and Restores.
func (e *Env) VeleroNamespace() string {
	for _, c := range e.Controllers {
		if c.Group == "velero.io" {
			return c.Namespace
		}
	}
	return "velero"
}

// Deployed reports whether an object is the Deployment of one of the controllers.
func (e *Env) Deployed(o metav1.Object) bool {
	return slices.ContainsFunc(e.Controllers, func(c Controller) bool {
		return c.Namespace == o.GetNamespace() &&
			c.Deployment == o.GetName()
	})
}

// Kinds of other projects that the operator creates or watches, in the version that it speaks.
var Kinds = []served.Kind{
	kind("source.toolkit.fluxcd.io", "v1", "OCIRepository", "ocirepositories"),
	kind("source.toolkit.fluxcd.io", "v1", "HelmRepository", "helmrepositories"),
	kind("helm.toolkit.fluxcd.io", "v2", "HelmRelease", "helmreleases"),
	kind("cert-manager.io", "v1", "Certificate", "certificates"),
	kind("external-secrets.io", "v1", "ExternalSecret", "externalsecrets"),
	kind("velero.io", "v1", "Backup", "backups"),
	kind("velero.io", "v1", "Restore", "restores"),
	kind("argoproj.io", "v1alpha1", "Workflow", "workflows"),
}

func kind(group, version, name, plural string) served.Kind {
	return served.Kind{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: name}, Plural: plural}
}

// GVK returns the version of a kind of another project that the operator speaks; without a version where it does not know the kind.
func GVK(group, name string) schema.GroupVersionKind {
	for _, k := range Kinds {
		if k.Group == group && k.Kind == name {
			return k.GroupVersionKind
		}
	}
	return schema.GroupVersionKind{Group: group, Kind: name}
}

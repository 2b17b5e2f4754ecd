// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
)

// compiled is the result of building the graph of a definition.
type compiled struct {
	uid        types.UID
	generation int64
	graph      *graph.Graph
	declared   *declare.Kind
	trouble    *Trouble
	missing    bool // a kind was not served; it is tried again
}

// waiting returns the definitions whose graph needs a kind that is not served.
func (r *Reconciler) waiting() (out []string) {
	r.graphs.Range(func(name, c any) bool {
		if c.(*compiled).missing {
			out = append(out, name.(string))
		}
		return true
	})
	return out
}

// compile builds the graph of a definition, or returns the one that was built of the same generation.
func (r *Reconciler) compile(ctx context.Context, rgd *v1alpha1.ResourceGraphDefinition) *compiled {
	if known, _ := r.graphs.Load(rgd.Name); known != nil {
		if c := known.(*compiled); c.uid == rgd.UID && c.generation == rgd.Generation && !c.missing {
			return c
		}
	}
	c := &compiled{uid: rgd.UID, generation: rgd.Generation}
	began := time.Now()
	var err error
	c.graph, err = r.Builder.NewResourceGraphDefinition(rgd, r.Limits)
	metrics.RGDGraphBuildTotal.WithLabelValues(rgd.Name).Inc()
	metrics.RGDGraphBuildDuration.WithLabelValues(rgd.Name).Observe(time.Since(began).Seconds())
	if err == nil {
		limit(c.graph)
		if c.declared, err = declare.Of(rgd, c.graph.TopologicalOrder); err == nil {
			r.graphs.Store(rgd.Name, c)
			return c
		}
		c.graph = nil
	}
	metrics.RGDGraphBuildErrorsTotal.WithLabelValues(rgd.Name).Inc()
	gvk := r.missingKind(rgd)
	switch {
	case gvk == nil && (transient(err) || errors.Is(err, resolver.ErrSchemaNotFound)): // the schema of a new kind is published after the kind
		c.trouble, c.missing = &Trouble{ReasonRetrying, child.Reason(err)}, true
	case gvk != nil:
		c.missing = true
		c.trouble = &Trouble{ReasonKindMissing, fmt.Sprintf("The API server does not serve %s of %s.", gvk.Kind, gvk.GroupVersion())}
		if maker := r.maker(ctx, *gvk); maker != "" && maker != rgd.Name {
			c.trouble = &Trouble{ReasonWaitingForKind, fmt.Sprintf("%s is made by the definition %s and is not served yet.", gvk.Kind, maker)}
		}
	default:
		c.trouble = &Trouble{ReasonGraphInvalid, child.Reason(err)}
	}
	r.graphs.Store(rgd.Name, c)
	return c
}

// transient reports whether an error does not depend on the definition.
func transient(err error) bool {
	var status apierrors.APIStatus
	var link *url.Error
	var wire net.Error
	if errors.As(err, &status) {
		return !apierrors.IsNotFound(err) && !Final(err)
	}
	return errors.As(err, &link) || errors.As(err, &wire) || errors.Is(err, context.Canceled)
}

// missingKind returns the first kind of a template that the API server does not serve; nil without one.
func (r *Reconciler) missingKind(rgd *v1alpha1.ResourceGraphDefinition) *schema.GroupVersionKind {
	for _, resource := range rgd.Spec.Resources {
		var kind struct{ APIVersion, Kind string }
		if resource.ExternalRef != nil {
			kind.APIVersion, kind.Kind = resource.ExternalRef.APIVersion, resource.ExternalRef.Kind
		} else if json.Unmarshal(resource.Template.Raw, &kind) != nil {
			continue
		}
		gv, err := schema.ParseGroupVersion(kind.APIVersion)
		if err != nil || kind.Kind == "" || strings.Contains(kind.Kind+kind.APIVersion, "${") {
			continue
		}
		gvk := gv.WithKind(kind.Kind)
		if _, err := r.Mapper.RESTMapping(gvk.GroupKind(), gvk.Version); meta.IsNoMatchError(err) {
			return &gvk
		}
	}
	return nil
}

// maker returns the name of the definition that makes a kind; empty if there is none.
func (r *Reconciler) maker(ctx context.Context, gvk schema.GroupVersionKind) string {
	names := r.names(ctx, func(s *v1alpha1.Schema) bool {
		return s.Kind == gvk.Kind && s.Group == gvk.Group && s.APIVersion == gvk.Version
	})
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

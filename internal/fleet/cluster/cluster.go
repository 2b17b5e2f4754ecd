// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/discovery"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Options of [Connect]; the zero value reads every namespace.
type Options struct {
	Namespace string       // empty: every one
	Selector  string       // of labels, for targets without a name
	Warn      func(string) // is called with warnings, never concurrently; nil: they are dropped
	Data      bool         // read what Secrets and ConfigMaps hold, of which otherwise only the metadata is read
}

// Cluster reads objects of one API server. It may be used by many goroutines.
type Cluster struct {
	Options
	Client dynamic.Interface
	Served *discovery.Types
	raw    rest.Interface
}

// Connect makes a Cluster. It asks the server nothing yet. No request, of discovery either, outlives ctx.
func Connect(ctx context.Context, config *rest.Config, o Options) (*Cluster, error) {
	config = Under(ctx, config)
	if !o.Data {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return sparing{next} })
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	raw, err := rest.UnversionedRESTClientFor(dynamic.ConfigFor(config))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	var mu sync.Mutex
	if warn := o.Warn; warn != nil {
		o.Warn = func(text string) {
			mu.Lock()
			defer mu.Unlock()
			warn(text)
		}
	} else {
		o.Warn = func(string) {}
	}
	types, err := discovery.New(config, o.Warn)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &Cluster{Options: o, Client: client, raw: raw, Served: types}, nil
}

// Kind finds the type that a word means: deploy, deployments.apps, Deployment.
func (c *Cluster) Kind(word string) (*meta.RESTMapping, *Error) {
	resource, group := schema.ParseResourceArg(word)
	var gvr schema.GroupVersionResource
	var err error
	if resource != nil {
		gvr, err = c.Served.ResourceFor(*resource)
	}
	if resource == nil || err != nil {
		gvr, err = c.Served.ResourceFor(group.WithVersion(""))
	}
	if err == nil {
		var gvk schema.GroupVersionKind
		if gvk, err = c.Served.KindFor(gvr); err == nil {
			var m *meta.RESTMapping
			if m, err = c.Served.RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
				return m, nil
			}
		}
	}
	failed := &Error{Verb: Find, Resource: word, Err: err}
	if failed.Reason() == NotServed {
		failed.Near = c.near(word)
	}
	return nil, failed
}

// Resource returns a client for the objects of a type in the namespace of c.
func (c *Cluster) Resource(m *meta.RESTMapping) dynamic.ResourceInterface {
	if namespace := c.namespaceOf(m); namespace != "" {
		return c.Client.Resource(m.Resource).Namespace(namespace)
	}
	return c.Client.Resource(m.Resource)
}

// namespaceOf is the namespace to ask for objects of a type.
func (c *Cluster) namespaceOf(m *meta.RESTMapping) string {
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.Namespace
	}
	return ""
}

// Named calls each for every object that targets name, as soon as it has come, and returns the errors of what could not be read. It goes on
// after an error, unless the server cannot be reached.
func (c *Cluster) Named(ctx context.Context, targets []Query, each func(*relation.Object)) (failed []*Error) {
	for _, t := range targets {
		m, err := c.Kind(t.Type)
		if err != nil && err.Reason() == NotServed && err.Near == "" {
			err = c.orSilent(err)
		}
		if err == nil && t.Name == "" {
			err = c.List(ctx, m, c.Selector, each)
		} else if err == nil {
			err = c.get(ctx, m, t.Name, each)
		}
		if err == nil {
			continue
		}
		failed = append(failed, err)
		if r := err.Reason(); r == Unreachable || r == Ended {
			break
		}
	}
	return failed
}

// orSilent returns the error of a type that the server does not have or, if the server of a group does not answer, that it is not known.
func (c *Cluster) orSilent(err *Error) *Error {
	for _, silent := range c.silent() {
		return &Error{Verb: Find, Resource: err.Resource, Err: fmt.Errorf("no other group has it, and %s is not known: %w", silent.Resource, silent.Err)}
	}
	return err
}

func (c *Cluster) get(ctx context.Context, m *meta.RESTMapping, name string, each func(*relation.Object)) *Error {
	u, err := c.Resource(m).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return &Error{Verb: "get", Resource: m.Resource.GroupResource().String(), Namespace: c.namespaceOf(m), Name: name, Err: err}
	}
	u.SetGroupVersionKind(m.GroupVersionKind) // which metadata alone lacks
	each(relation.FromContent(u.Object))
	return nil
}

// Roots puts the objects that targets name into a graph and returns their ids.
func (c *Cluster) Roots(ctx context.Context, g *relation.Graph, targets []Query) (ids []relation.ID, failed []*Error) {
	failed = c.Named(ctx, targets, func(o *relation.Object) {
		g.Put(o)
		ids = append(ids, o.ID)
	})
	return ids, failed
}

// answerTimeout is how long a server may take to show that it is there.
const answerTimeout = 5 * time.Second

// Answers returns an error where the server does not answer at all.
func (c *Cluster) Answers(ctx context.Context) *Error {
	ctx, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	err := c.raw.Get().AbsPath("/version").Do(ctx).Error()
	if ReasonOf(err) != Unreachable {
		return nil
	}
	return &Error{Verb: "get", Resource: "/version", Err: err}
}

// NamespaceExists returns an error where the namespace of c is known not to exist. One that may not be read is assumed to exist.
func (c *Cluster) NamespaceExists(ctx context.Context) error {
	if c.Namespace == "" {
		return nil
	}
	_, err := c.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Get(ctx, c.Namespace, metav1.GetOptions{})
	if ReasonOf(err) != NotFound {
		return nil
	}
	return &Error{Verb: "get", Resource: "namespaces", Name: c.Namespace, Err: err}
}

// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// clusterFlags choose a cluster and a namespace.
type clusterFlags struct {
	kubeconfig, context, namespace string
	contexts                       []string // all that were given; context is the last
	all                            bool
	selector                       string
}

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file (default: KUBECONFIG, then ~/.kube/config)")
	flags.Var((*contextFlag)(f), "context", "context of the kubeconfig; several, repeated or separated by commas, are asked at once")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace (default: that of the context)")
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "every namespace")
	flags.StringVarP(&f.selector, "selector", "l", "", "label selector")
}

// contextFlag is --context, which may be given more than once.
type contextFlag clusterFlags

func (f *contextFlag) String() string { return strings.Join(f.contexts, ",") }

func (f *contextFlag) Type() string { return "string" }

func (f *contextFlag) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		f.context = name
		if !slices.Contains(f.contexts, name) {
			f.contexts = append(f.contexts, name)
		}
	}
	return nil
}

// config gives the client configuration and the namespace.
func (f *clusterFlags) config() (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: f.context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("find a cluster: %w", err)
	}
	config.QPS = -1
	namespace, _, err := loader.Namespace()
	if f.namespace != "" {
		namespace = f.namespace
	}
	if f.all {
		namespace = ""
	}
	return config, namespace, err
}

// cluster reads objects.
type cluster struct {
	client    dynamic.Interface
	mapper    meta.RESTMapper
	namespace string // "" is every one
	selector  string
	raw       rest.Interface
	discovery discovery.DiscoveryInterface
	warn      func(string)
}

func (f *clusterFlags) connect(warn func(string)) (*cluster, error) {
	config, namespace, err := f.config()
	if err != nil {
		return nil, err
	}
	return connect(config, namespace, f.selector, warn)
}

// connect makes a reader of a cluster; namespace "" is every one.
func connect(config *rest.Config, namespace, selector string, warn func(string)) (*cluster, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	raw, err := rest.UnversionedRESTClientFor(dynamic.ConfigFor(config))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	cached := memory.NewMemCacheClient(disco)
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, warn)
	return &cluster{client: client, raw: raw, discovery: cached, mapper: mapper, namespace: namespace, selector: selector, warn: warn}, nil
}

// kind finds what somebody calls a type.
func (c *cluster) kind(word string) (*meta.RESTMapping, error) {
	resource, group := schema.ParseResourceArg(word)
	var gvr schema.GroupVersionResource
	var err error
	if resource != nil {
		gvr, err = c.mapper.ResourceFor(*resource)
	}
	if resource == nil || err != nil {
		gvr, err = c.mapper.ResourceFor(group.WithVersion(""))
	}
	if err == nil {
		var gvk schema.GroupVersionKind
		if gvk, err = c.mapper.KindFor(gvr); err == nil {
			return c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		}
	}
	if meta.IsNoMatchError(err) {
		return nil, &exit{ExitNotFound, fmt.Errorf("the server has no type %q", word)}
	}
	return nil, fmt.Errorf("find type %q: %w", word, err)
}

func (c *cluster) resource(m *meta.RESTMapping) dynamic.ResourceInterface {
	if m.Scope.Name() == meta.RESTScopeNameNamespace && c.namespace != "" {
		return c.client.Resource(m.Resource).Namespace(c.namespace)
	}
	return c.client.Resource(m.Resource)
}

// roots puts the objects that targets name into a graph and gives their ids.
func (c *cluster) roots(ctx context.Context, g *relation.Graph, targets []target) (ids []relation.ID, err error) {
	err = c.named(ctx, targets, func(o *relation.Object) {
		g.Put(o)
		ids = append(ids, o.ID)
	})
	return ids, err
}

// named hands on the objects that targets name, each as soon as it has come.
func (c *cluster) named(ctx context.Context, targets []target, each func(*relation.Object)) error {
	for _, t := range targets {
		m, err := c.kind(t.Type)
		if err != nil {
			return err
		}
		if t.Name == "" {
			if err := c.list(ctx, m, c.selector, each); err != nil {
				return c.explain(err, "list", m)
			}
			continue
		}
		if c.namespace == "" && m.Scope.Name() == meta.RESTScopeNameNamespace {
			return usagef("%s/%s needs a namespace: leave -A out", t.Type, t.Name)
		}
		u, err := c.resource(m).Get(ctx, t.Name, metav1.GetOptions{})
		if err != nil {
			return c.explain(err, "get", m)
		}
		each(relation.FromContent(u.Object))
	}
	return nil
}

// explain gives an answer of the API server its exit code.
func (c *cluster) explain(err error, verb string, m *meta.RESTMapping) error {
	switch {
	case apierrors.IsNotFound(err):
		return &exit{ExitNotFound, err}
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return &exit{ExitUnknown, fmt.Errorf("verb %q on %s is missing: %w", verb, m.Resource.GroupResource(), err)}
	}
	return fmt.Errorf("%s %s: %w", verb, m.Resource.GroupResource(), err)
}

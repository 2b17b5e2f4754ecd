// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/systems/cells"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/a2aagent"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/egressapproval"
	"github.com/tristate/tristate/systems/kars/operator/internal/inferencepolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/jwks"
	"github.com/tristate/tristate/systems/kars/operator/internal/karseval"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/karssandbox"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/mcpserver"
	"github.com/tristate/tristate/systems/kars/operator/internal/toolpolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/trustgraph"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Options configure an operator.
type Options struct {
	kit.Settings
	Cells           cells.Choice // of the conditions that are written; empty: Complete
	PushAddress     string       // that routers push to is served here; empty: nowhere
	PlainRegistries bool         // artifacts are fetched over HTTP

	Gate        *outbound.Gate // for registries and issuers; nil: public addresses only
	Authorities *x509.CertPool // of issuers; nil: the system's
	Routers     *http.Client   // nil: one that uses the proxy of the environment and waits [echo.Timeout]
	RouterPoll  time.Duration  // of routers that an object waits for; 0: 15 s
	Now         func() time.Time
	Manager     manager.Options // leader election, metrics, health
	Registry    prometheus.Registerer
}

// Scheme knows the kinds that the operator uses.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientgoscheme.AddToScheme(s), api.AddToScheme(s))
}

// Operator is a manager with its reconcilers.
type Operator struct{ *kit.Env }

// New makes an operator for a cluster.
func New(config *rest.Config, o Options) (*Operator, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	o.Namespace, o.MaxTTL = cmp.Or(o.Namespace, "kars-system"), cmp.Or(o.MaxTTL, 24*time.Hour)
	if o.Gate == nil {
		o.Gate = &outbound.Gate{}
	}
	if o.Routers == nil {
		o.Routers = &http.Client{Timeout: echo.Timeout, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1,
			IdleConnTimeout: time.Minute}}
	}
	o.Manager.Scheme = scheme
	o.Manager.Cache.ByObject = map[client.Object]cache.ByObject{&corev1.ConfigMap{}: {Namespaces: map[string]cache.Config{
		o.Namespace:         {LabelSelector: labels.Everything()},
		cache.AllNamespaces: {LabelSelector: labels.SelectorFromSet(labels.Set{child.LabelManaged: kit.Manager})},
	}}}
	o.Manager.Client.Cache = &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.Pod{}}}
	host, err := operator.NewHost(config, operator.Options{Name: "kars", Account: kit.Manager, Namespace: o.Namespace, Domain: kit.Domain,
		Exact: true, Now: o.Now, Registry: o.Registry, Manager: o.Manager, Children: []client.Object{&corev1.Namespace{},
			&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{}, &appsv1.Deployment{}, &batchv1.Job{}, &batchv1.CronJob{}}})
	if err != nil {
		return nil, err
	}
	host.Children.Inherit = karssandbox.Rendered
	if host.Leave, err = o.Cells.Leave("kars"); err != nil {
		return nil, err
	}
	mgr := host.Manager
	logs, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return nil, err
	}
	store := &echo.Store{}
	e := &kit.Env{
		Host: host, Settings: o.Settings, Store: store, Logs: logs,
		Fetcher: &artifact.Fetcher{PlainHTTP: o.PlainRegistries, Gate: o.Gate, Now: host.Now},
		Web: &http.Client{Transport: o.Gate.Transport(&http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: jwks.Timeout,
			TLSClientConfig: &tls.Config{RootCAs: o.Authorities}, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true})},
	}
	if o.PushURL != "" {
		e.PushURL += echo.PushPath
	}
	e.Poller = &echo.Poller{Store: store, Client: o.Routers, URL: kit.RouterURL, Soon: o.RouterPoll,
		Token: func(ctx context.Context, s types.NamespacedName) (string, error) {
			var secret corev1.Secret
			if err := mgr.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: kit.SandboxNamespace(s.Name), Name: kit.TokenSecret},
				&secret); err != nil {
				return "", err
			}
			if secret.Labels[kit.LabelSandboxOwner] != s.Namespace || len(secret.Data[kit.TokenKey]) == 0 {
				return "", errors.New("the token is not that of the sandbox")
			}
			// Secrets are not watched, for that needs a permission to read all of them: that the agent's is gone is found here, and wakes the
			// sandbox, which makes it anew.
			agent := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}
			if err := mgr.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: kit.SandboxNamespace(s.Name), Name: kit.AgentTokenSecret},
				agent); err != nil {
				return "", err
			}
			return string(secret.Data[kit.TokenKey]), nil
		}}
	store.Changed = e.Echoes.Wake
	if err := index(mgr); err != nil {
		return nil, err
	}
	for _, setup := range []func(*kit.Env) error{karssandbox.Setup, a2aagent.Setup, mcpserver.Setup, toolpolicy.Setup, inferencepolicy.Setup,
		karsmemory.Setup,
		karseval.Setup, trustgraph.Setup, egressapproval.Setup} {
		if err := setup(e); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(mgr.Add(e.Poller), mgr.Add(sweep(e))); err != nil {
		return nil, err
	}
	if o.PushAddress != "" {
		if err := mgr.Add(push(o.PushAddress, e.Poller)); err != nil {
			return nil, err
		}
	}
	return &Operator{e}, nil
}

// push serves the address that routers push to, on the leader.
func push(address string, p *echo.Poller) manager.Runnable {
	return manager.RunnableFunc(func(ctx context.Context) error {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf("listen for routers: %w", err)
		}
		server := &http.Server{Handler: p.Pushed(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second}
		stop := context.AfterFunc(ctx, func() { server.Close() })
		defer stop()
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}

// index makes the lists by reference fast.
func index(mgr manager.Manager) error {
	sandboxes := map[string]func(*api.KarsSandbox) []string{
		kit.ByToolPolicy: func(s *api.KarsSandbox) []string { return []string{kit.ToolPolicyOf(s)} },
		kit.ByInference:  func(s *api.KarsSandbox) []string { return []string{s.Spec.InferenceRef.Name} },
		kit.ByMemory:     func(s *api.KarsSandbox) []string { return []string{kit.MemoryOf(s)} },
		kit.ByMcpServer:  kit.McpServersOf,
		kit.ByAgent:      func(s *api.KarsSandbox) []string { return []string{kit.AgentOf(s)} },
		kit.ByName:       func(s *api.KarsSandbox) []string { return []string{s.Name} },
	}
	indexer := mgr.GetFieldIndexer()
	var errs []error
	for name, of := range sandboxes {
		errs = append(errs, indexer.IndexField(context.Background(), &api.KarsSandbox{}, name,
			func(o client.Object) []string { return of(o.(*api.KarsSandbox)) }))
	}
	errs = append(errs, indexer.IndexField(context.Background(), &api.KarsEval{}, kit.ByTarget, func(o client.Object) []string {
		return []string{o.(*api.KarsEval).Spec.TargetSandboxRef.Name}
	}), indexer.IndexField(context.Background(), &api.EgressApproval{}, kit.BySandbox, func(o client.Object) []string {
		return []string{o.(*api.EgressApproval).Spec.Sandbox}
	}))
	return errors.Join(errs...)
}

// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/operator/enqueue"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/systems/cells"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/applicationinstance"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/cluster"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/jobs"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operation"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/probe"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/served"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/webhook"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Options configure an operator.
type Options struct {
	kit.Settings
	BufferCapacity int            // of events; 0: [agent.Capacity]
	ProbeInterval  time.Duration  // 0: [probe.Interval]
	Cells          cells.Choice   // of the conditions that are written; empty: all
	Gate           *outbound.Gate // for probes; nil: public addresses only
	Authorities    *x509.CertPool // of the endpoints that are probed; nil: the system's

	Webhook WebhookOptions

	Now      func() time.Time
	Manager  manager.Options // leader election, metrics, health
	Registry prometheus.Registerer
}

// WebhookOptions configure the webhook that validates operations and approval claims. Without an address there is none.
type WebhookOptions struct {
	Address string // to listen at, as HOST:PORT or :PORT
	Host    string // that the API server connects to; empty: vworkspace-operator.NAMESPACE.svc
}

// Scheme knows the kinds that the operator uses.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientgoscheme.AddToScheme(s), appsapi.AddToScheme(s), opsapi.AddToScheme(s))
}

// Operator is a manager with its reconcilers.
type Operator struct {
	*kit.Env
	certificates *webhook.Certificates // nil: there is no webhook
}

// New makes an operator for a cluster.
func New(config *rest.Config, o Options) (*Operator, error) {
	if o.ClusterID == "" {
		return nil, errors.New("the operator needs the id of its cluster")
	}
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	o.defaults()
	o.Manager.Scheme = scheme
	o.Manager.Cache = cacheOptions(o)
	o.Manager.MapperProvider = mapper
	o.Manager.Client.Cache = &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}, Unstructured: true}
	certificates, err := o.webhook()
	if err != nil {
		return nil, err
	}
	host, err := operator.NewHost(config, operator.Options{Name: "vworkspace", Account: kit.Manager, Namespace: o.Namespace,
		Domain: kit.Domain, Now: o.Now, Registry: o.Registry, Manager: o.Manager})
	if err != nil {
		return nil, err
	}
	if host.Leave, err = o.Cells.Leave("vworkspace"); err != nil {
		return nil, err
	}
	mgr := host.Manager
	discoverer, err := discovery.NewDiscoveryClientForConfig(mgr.GetConfig())
	if err != nil {
		return nil, err
	}
	counters, err := agent.NewMetrics(host.Registry)
	if err != nil {
		return nil, err
	}
	a := agent.New(&cluster.Secrets{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient(), Namespace: o.Namespace},
		&agent.Keeper{Reader: mgr.GetAPIReader(), Writer: mgr.GetClient(), Namespace: o.Namespace, Manager: kit.Manager}, o.Now)
	a.Buffer.Capacity, a.Counter = o.BufferCapacity, counters
	a.Runner = &jobs.Runner{Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), ClusterID: o.ClusterID}
	probed := &enqueue.Signal{}
	runner := &probe.Runner{Interval: o.ProbeInterval, Gate: o.Gate, Client: probe.NewClient(o.Gate, o.Authorities), Changed: probed.Wake}
	e := &kit.Env{Host: host, Settings: o.Settings, Agent: a, Webhook: certificates != nil, Probes: runner,
		Policy: &kit.Policies{Client: mgr.GetClient(), Namespace: o.Namespace}, Served: &served.Kinds{Manager: mgr, Discovery: discoverer}}
	e.Served.Register(kit.Kinds...)
	e.Served.Changed = func() { go func() { _ = e.Wake(context.Background()) }() } // the cache has no error of its own
	if err := errors.Join(cluster.Setup(e), operation.Setup(e), applicationinstance.Setup(e, probed)); err != nil {
		return nil, err
	}
	if err := errors.Join(e.Served.Setup(), follow(e)); err != nil {
		return nil, err
	}
	if certificates != nil {
		certificates.Client = mgr.GetClient()
		mgr.GetWebhookServer().Register(webhook.Path,
			webhook.New(&webhook.Claims{Keys: e.ApprovalKeys, Subject: subject(e), Admit: operation.Admission(e), ClusterID: o.ClusterID,
				Now: o.Now}))
		if err := certificates.Setup(mgr); err != nil {
			return nil, err
		}
	}
	operator := &Operator{e, certificates}
	return operator, errors.Join(mgr.Add(runner), mgr.Add(&feeder{mgr, a}), mgr.AddReadyzCheck("webhook", operator.ready))
}

// follow judges everything again when the Deployment of a controller appears or goes.
func follow(e *kit.Env) error {
	informer, err := e.Manager.GetCache().GetInformer(context.Background(), &appsv1.Deployment{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	changed := func(o any) {
		if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		if d, ok := o.(metav1.Object); ok && e.Deployed(d) {
			e.Served.Changed()
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{DeleteFunc: changed, AddFunc: func(o any, initial bool) {
		if !initial {
			changed(o)
		}
	}})
	return err
}

// subject returns what an approval of an object approves.
func subject(e *kit.Env) func(context.Context, client.Object) (claim.Subject, error) {
	return func(ctx context.Context, o client.Object) (claim.Subject, error) {
		if instance, ok := o.(*appsapi.ApplicationInstance); ok {
			return claim.Instance(e.ClusterID, instance)
		}
		return operation.Subject(ctx, e, o.(*opsapi.Operation))
	}
}

// webhook makes the certificates and the server of the webhook; nil where there is none.
func (o *Options) webhook() (*webhook.Certificates, error) {
	if o.Webhook.Address == "" || o.Webhook.Address == "0" {
		return nil, nil
	}
	host, text, err := net.SplitHostPort(o.Webhook.Address)
	if err != nil {
		return nil, fmt.Errorf("address of the webhook: %w", err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("address of the webhook: port %q is not a number from 1 to 65535", text)
	}
	c := &webhook.Certificates{Host: cmp.Or(o.Webhook.Host, "vworkspace-operator."+o.Namespace+".svc"), Now: o.Now}
	o.Manager.WebhookServer = c.Server(host, int(port))
	return c, nil
}

func (o *Options) defaults() {
	o.Namespace = cmp.Or(o.Namespace, "vworkspace-system")
	o.PreconditionTimeout = cmp.Or(o.PreconditionTimeout, time.Hour)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Gate == nil {
		o.Gate = &outbound.Gate{}
	}
	if o.Controllers == nil {
		o.Controllers = kit.DefaultControllers
	}
}

// ready returns an error while the API server does not trust the webhook yet.
func (o *Operator) ready(r *http.Request) error {
	if o.certificates == nil {
		return nil
	}
	return errors.Join(o.certificates.Ready(r), o.Manager.GetWebhookServer().StartedChecker()(r))
}

// Wake judges everything again and has the agent look at the clock, for a clock that was moved.
func (o *Operator) Wake(ctx context.Context) error {
	o.Agent.Wake()
	return o.Host.Wake(ctx)
}

// mapper knows the kinds of other projects also while they are not served: the cache asks for their scope when it is made.
func mapper(config *rest.Config, client *http.Client) (meta.RESTMapper, error) {
	dynamic, err := apiutil.NewDynamicRESTMapper(config, client)
	if err != nil {
		return nil, err
	}
	static := meta.NewDefaultRESTMapper(nil)
	for _, k := range kit.Kinds {
		static.AddSpecific(k.GroupVersionKind, k.GroupVersion().WithResource(k.Plural), k.GroupVersion().WithResource(strings.ToLower(k.Kind)),
			meta.RESTScopeNamespace)
	}
	return meta.FirstHitRESTMapper{MultiRESTMapper: meta.MultiRESTMapper{dynamic, static}}, nil
}

func cacheOptions(o Options) cache.Options {
	managed := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{child.LabelManaged: kit.Manager})}
	exists, err := labels.NewRequirement(engine.LabelOperation, selection.Exists, nil)
	if err != nil {
		panic("operator: " + err.Error()) // a constant
	}
	operations := cache.ByObject{Label: labels.NewSelector().Add(*exists)}
	deployments := map[string]cache.Config{}
	for _, c := range o.Controllers {
		deployments[c.Namespace] = cache.Config{}
	}
	if len(deployments) == 0 {
		deployments[o.Namespace] = cache.Config{}
	}
	objects := map[client.Object]cache.ByObject{
		&corev1.ConfigMap{}:                           {Namespaces: map[string]cache.Config{o.Namespace: {}}},
		&appsv1.Deployment{}:                          {Namespaces: deployments},
		&admissionv1.ValidatingWebhookConfiguration{}: {Field: fields.OneTermEqualSelector("metadata.name", webhook.Name)},
	}
	job := &unstructured.Unstructured{}
	job.SetAPIVersion("batch/v1")
	job.SetKind("Job")
	objects[job] = operations
	for _, kind := range kit.Kinds {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(kind.GroupVersionKind)
		switch kind.Group {
		case "source.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io":
			objects[u] = managed
		case "velero.io", "argoproj.io":
			objects[u] = operations
		}
	}
	return cache.Options{ByObject: objects}
}

// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"io"
	"log"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/proof/plane/deny"
	"github.com/tristate/tristate/proof/plane/kubelet"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operator"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/served"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	system    = "vworkspace-system"
	clusterID = "edge-1"
	bootstrap = "bootstrap-token-of-the-tests"
)

// signer is a private key for claims, with its public key.
type signer struct {
	private any
	public  string
}

func newSigner() signer {
	private, public, err := claim.Generate()
	if err != nil {
		panic(err)
	}
	key, err := claim.ParsePrivate(private)
	if err != nil {
		panic(err)
	}
	return signer{key, string(public)}
}

// adaKey is the id of the key that claims are signed with.
const adaKey = "ada-1"

// ada approves, and eve has a key that nobody knows.
var ada, eve = newSigner(), newSigner()

// vworkspace is a world with the operator and a control plane.
type vworkspace struct {
	*world.World
	plane    *controlplane.Server
	sent     world.Traffic // of all operators
	next     deny.Next     // writes of the operator that are refused
	operator *operator.Operator
	options  operator.Options
}

// start brings up a world with a running operator; tests share it. Flux is installed, the other projects are not. options change the
// operator's.
func start(t *testing.T, options ...func(*operator.Options)) *vworkspace {
	t.Helper()
	w := base(t)
	for _, change := range options {
		change(&w.options)
	}
	w.run(t)
	return w
}

// base brings up a world without an operator. Flux is installed, the other projects are not.
func base(t *testing.T) *vworkspace {
	t.Helper()
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &vworkspace{World: world.Start(t, world.Options{Namespace: system, Account: "vworkspace-operator", Scheme: scheme, CRDs: "config/crd",
		Manifest: roles,
		Recorded: []world.Resource{{GVR: appsapi.GroupVersion.WithResource("applicationinstances"), Kind: "ApplicationInstance"},
			{GVR: opsapi.GroupVersion.WithResource("operations"), Kind: "Operation"}, {GVR: opsapi.GroupVersion.WithResource("clusters"),
				Kind: "Cluster"}}})}
	w.Admit(t, "config/admission/account.yaml")
	if _, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{Paths: []string{"testdata/flux"},
		MaxTime: world.Patience, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	if w.plane, err = controlplane.New(controlplane.Options{BootstrapToken: bootstrap, Now: w.Now}); err != nil {
		t.Fatal(err)
	}
	if err := w.plane.Up(world.Free(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.plane.Down)
	w.Create(t, secret("bootstrap", map[string]string{"token": bootstrap}))
	w.Create(t, secret("control-plane-ca", map[string]string{"ca.crt": string(w.plane.CA())}))
	w.Create(t, secret(kit.ApprovalKeySecret, map[string]string{adaKey: ada.public}))
	w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "velero"}})
	w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "flux-system"}})
	w.deployment(t, "flux-system", "source-controller", nil)
	w.deployment(t, "flux-system", "helm-controller", nil)
	w.options = operator.Options{Now: w.Now, ProbeInterval: 200 * time.Millisecond,
		Gate:           &outbound.Gate{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, // of the endpoints of this process
		BufferCapacity: 60,
		Settings: kit.Settings{Namespace: system, ClusterID: clusterID, ChartUnreachable: 3 * time.Second, VanishedGrace: 3 * time.Second,
			Controllers: []kit.Controller{{Name: "flux source-controller", Namespace: "flux-system", Deployment: "source-controller",
				Group: "source.toolkit.fluxcd.io", Kind: "OCIRepository"},
				{Name: "velero", Namespace: "velero", Deployment: "velero"}}},
		Manager: world.Manager()}
	return w
}

// run starts an operator with exactly its permissions.
func (w *vworkspace) run(t *testing.T) {
	t.Helper()
	w.operator = world.Operate(t, w.World, func(config *rest.Config, registry *prometheus.Registry) (*operator.Operator, error) {
		options := w.options
		options.Registry = registry
		config.Wrap(w.sent.Wrap)
		config.Wrap(w.next.Wrap)
		return operator.New(config, options)
	})
}

// namespace creates a namespace that passes the gate.
func (w *vworkspace) namespace(t *testing.T) string {
	t.Helper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "team-",
		Labels: map[string]string{kit.LabelNamespace: kit.ManagedNamespace}}}
	w.Create(t, n)
	return n.Name
}

func secret(name string, data map[string]string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: name}, StringData: data}
}

// meta is the metadata of an object that passes the gate.
func gated(ns, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{kit.LabelManagedBy: kit.ManagedBy}}
}

// sign returns a claim for a subject that lasts from now on.
func (w *vworkspace) sign(t *testing.T, by signer, s claim.Subject, lasts time.Duration) string {
	t.Helper()
	text, err := claim.Issue(by.private, adaKey, "ada", s, w.Now().Add(min(lasts, 0)-time.Minute), w.Now().Add(lasts))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// subject waits until the status of an object says what an approval of it approves, and computes it again from the object alone, as an
// approver does.
func (w *vworkspace) subject(t *testing.T, o client.Object) (s claim.Subject) {
	t.Helper()
	world.Eventually(t, func() (err error) {
		if err = w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		var shown *approval.Approval
		switch o := o.(type) {
		case *opsapi.Operation:
			if shown = o.Status.Approval; shown != nil {
				s, err = claim.Operation(shown.Cluster, o, shown.Resolved)
			}
		case *appsapi.ApplicationInstance:
			if shown = o.Status.Approval; shown != nil {
				s, err = claim.Instance(shown.Cluster, o)
			}
		}
		if err != nil || shown == nil || shown.Digest != s.Digest {
			return fmt.Errorf("the status of %s shows %+v, want %s, %v", o.GetName(), shown, s.Digest, err)
		}
		return nil
	})
	return s
}

// approve returns a claim for an object as it is now.
func (w *vworkspace) approve(t *testing.T, o client.Object, lasts time.Duration) string {
	t.Helper()
	return w.sign(t, ada, w.subject(t, o), lasts)
}

// unrelated is the subject of a claim for something else.
func unrelated(ns, name string) claim.Subject {
	return claim.Subject{Object: claim.Object{Cluster: clusterID, Kind: "Operation", Namespace: ns, Name: name, UID: "another"},
		Digest: "sha256:00"}
}

// installed creates the definition of a kind of another project: group, kind and scope are the real ones, and status is a subresource where
// it is one in the project; the schema is open.
func (w *vworkspace) installed(t *testing.T, group, kind string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	for _, k := range append(kit.Kinds[:len(kit.Kinds):len(kit.Kinds)], served.Kind{GroupVersionKind: engine.WorkflowTemplate,
		Plural: "workflowtemplates"}) {
		if k.Group != group || k.Kind != kind {
			continue
		}
		crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: k.Plural + "." + group},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: group, Scope: apiextensionsv1.NamespaceScoped, Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: k.Plural,
					Kind: kind},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: k.Version, Served: true, Storage: true,
					Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object",
						XPreserveUnknownFields: ptr.To(true)}}}}}}
		w.Create(t, crd)
		return crd
	}
	t.Fatalf("kind %s of %s is not known", kind, group)
	return nil
}

// deployment returns a controller that the cluster needs; KWOK makes its pods ready.
func (w *vworkspace) deployment(t *testing.T, namespace, name string, annotations map[string]string) *appsv1.Deployment {
	t.Helper()
	labels := map[string]string{"app": name}
	// Recreate: a rolling update to a template that never becomes ready would leave the old pod, and the Deployment available.
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}}}}
	w.Create(t, d)
	return d
}

// cluster returns the Cluster of the tests, with a short time between heartbeats. The window passes only by [world.World.Later]: on a busy
// machine a short one passes without a round-trip.
func (w *vworkspace) cluster() *opsapi.Cluster {
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	return &opsapi.Cluster{ObjectMeta: metav1.ObjectMeta{Name: clusterID}, Spec: opsapi.ClusterSpec{ClusterID: clusterID,
		ControlPlaneEndpoint:       w.plane.URL(),
		RegistrationTokenSecretRef: opsapi.SecretKeyRef{Name: "bootstrap", Key: "token"},
		CASecretRef:                &opsapi.SecretKeyRef{Name: "control-plane-ca", Key: "ca.crt"},
		Connectivity: opsapi.Connectivity{HeartbeatInterval: d(5 * time.Second), LongPoll: d(time.Second), DisconnectWindow: d(10 * time.Minute),
			RecoveryThreshold: d(4 * time.Second)}}}
}

// delivered waits until the control plane has the transition of an object.
func (w *vworkspace) delivered(t *testing.T, o client.Object, cells ...string) {
	t.Helper()
	world.Eventually(t, func() error {
		have := map[string]bool{}
		for _, e := range w.plane.Received() {
			if e.Kind == agent.ConditionTransition && e.ResourceRef.UID == string(o.GetUID()) {
				c := e.Conditions[0]
				have[fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)] = true
			}
		}
		for _, cell := range cells {
			if !have[cell] {
				return fmt.Errorf("the control plane has no event %s of %s", cell, o.GetName())
			}
		}
		return nil
	})
}

var discard = log.New(io.Discard, "", 0)

// TestMain also runs the program vworkspace-operator.
func TestMain(m *testing.M) {
	if os.Getenv(kubelet.Program) == "vworkspace-operator" {
		os.Exit(operator.Run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stderr))
	}
	os.Exit(world.Main(m))
}

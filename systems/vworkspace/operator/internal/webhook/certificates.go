// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	crwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"
)

// Name is the ValidatingWebhookConfiguration of the operator.
const Name = "claims.vworkspace.io"

// Defaults and limits of [Certificates].
const (
	Lifetime       = 24 * time.Hour
	Settle         = 30 * time.Second
	MaxAuthorities = 32

	skew = time.Hour // util/cert begins the validity of a certificate an hour before now
)

// Certificates are the serving certificates of this process. It reconciles the caBundle of the configuration [Name].
type Certificates struct {
	Client client.Client
	Host   string           // DNS name or IP address that the API server connects to
	Now    func() time.Time // nil: time.Now

	mu        sync.Mutex
	current   *certificate
	next      *certificate
	nextSince time.Time // since when the authority of next is in the bundle; zero: it is not
	published bool
}

// certificate is a serving certificate and the authority that signed it.
type certificate struct {
	serving   *tls.Certificate
	authority *x509.Certificate
	renew     time.Time
}

// Server returns the server of webhooks with these certificates.
func (c *Certificates) Server(host string, port int) crwebhook.Server {
	return crwebhook.NewServer(crwebhook.Options{Host: host, Port: port, TLSOpts: []func(*tls.Config){func(config *tls.Config) {
		config.MinVersion = tls.VersionTLS12
		config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if err := c.ensure(); err != nil {
				return nil, err
			}
			return c.current.serving, nil
		}
	}}})
}

// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,resourceNames=claims.vworkspace.io,verbs=list;watch;patch

// Setup adds the reconciler of the configuration to a manager. It runs on every replica.
func (c *Certificates) Setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("webhook").For(&admissionv1.ValidatingWebhookConfiguration{}).
		WithOptions(controller.TypedOptions[reconcile.Request]{NeedLeaderElection: ptr.To(false)}).Complete(c)
}

// Ready returns an error while the configuration exists and does not have the authority of this process. It is a check of readiness.
func (c *Certificates) Ready(r *http.Request) error {
	if err := c.Client.Get(r.Context(), client.ObjectKey{Name: Name}, &admissionv1.ValidatingWebhookConfiguration{}); err != nil {
		return client.IgnoreNotFound(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.published {
		return errors.New("the webhook configuration " + Name + " does not have the authority of this process")
	}
	return nil
}

// Reconcile puts the authorities of this process into the configuration, and replaces the certificate in time.
func (c *Certificates) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	configuration := &admissionv1.ValidatingWebhookConfiguration{}
	if err := c.Client.Get(ctx, request.NamespacedName, configuration); err != nil || request.Name != Name {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	own, err := c.advance()
	if err != nil {
		return reconcile.Result{}, err
	}
	before := configuration.DeepCopy()
	changed := false
	for i := range configuration.Webhooks {
		bundle := &configuration.Webhooks[i].ClientConfig.CABundle
		if with := c.merge(*bundle, own); with != nil {
			*bundle, changed = with, true
		}
	}
	if changed {
		patch := client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})
		if err := c.Client.Patch(ctx, configuration, patch); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
	}
	return reconcile.Result{RequeueAfter: c.stored()}, nil
}

// advance makes and replaces certificates as far as it is time, and returns the authorities that have to be trusted.
func (c *Certificates) advance() ([]*x509.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ensure(); err != nil {
		return nil, err
	}
	now := c.now()
	if c.next != nil && !c.nextSince.IsZero() && !now.Before(c.nextSince.Add(Settle)) {
		c.current, c.next, c.nextSince = c.next, nil, time.Time{}
	}
	if c.next == nil && !now.Before(c.current.renew) {
		next, err := c.issue()
		if err != nil {
			return nil, err
		}
		c.next = next
	}
	own := []*x509.Certificate{c.current.authority}
	if c.next != nil {
		own = append(own, c.next.authority)
	}
	return own, nil
}

// stored records that the configuration has the authorities of this process, and returns when to look again.
func (c *Certificates) stored() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.published = true
	if c.next == nil {
		return max(c.current.renew.Sub(c.now()), time.Second)
	}
	if c.nextSince.IsZero() {
		c.nextSince = c.now()
	}
	return max(c.nextSince.Add(Settle).Sub(c.now()), time.Millisecond)
}

// ensure makes the first certificate.
func (c *Certificates) ensure() (err error) {
	if c.current == nil {
		c.current, err = c.issue()
	}
	return err
}

// issue makes a certificate.
func (c *Certificates) issue() (*certificate, error) {
	ends := c.now().Add(Lifetime)
	chain, key, err := cert.GenerateSelfSignedCertKeyWithOptions(cert.SelfSignedCertKeyOptions{Host: c.Host, MaxAge: time.Until(ends) + skew})
	if err != nil {
		return nil, err
	}
	serving, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, err
	}
	certificates, err := cert.ParseCertsPEM(chain)
	if err != nil {
		return nil, err
	}
	return &certificate{serving: &serving, authority: certificates[len(certificates)-1], renew: ends.Add(-Lifetime / 3)}, nil
}

// merge returns a bundle with some authorities added and expired ones dropped; nil where it has them all.
func (c *Certificates) merge(bundle []byte, own []*x509.Certificate) []byte {
	have, _ := cert.ParseCertsPEM(bundle) // a bundle that is none has nothing to keep
	missing := slices.ContainsFunc(own, func(a *x509.Certificate) bool { return !slices.ContainsFunc(have, a.Equal) })
	if !missing {
		return nil
	}
	now := c.now()
	have = slices.DeleteFunc(have, func(a *x509.Certificate) bool { return now.After(a.NotAfter) || slices.ContainsFunc(own, a.Equal) })
	slices.SortStableFunc(have, func(a, b *x509.Certificate) int { return a.NotBefore.Compare(b.NotBefore) })
	have = append(have[max(0, len(have)+len(own)-MaxAuthorities):], own...)
	out, err := cert.EncodeCertificates(have...)
	if err != nil {
		return nil // it writes to memory
	}
	return out
}

func (c *Certificates) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

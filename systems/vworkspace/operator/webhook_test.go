// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operator"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/webhook"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// webhooks returns the configuration of config/webhook, for servers of this machine instead of the Service.
func webhooks(t *testing.T, addresses ...string) []admissionv1.ValidatingWebhook {
	t.Helper()
	data, err := os.ReadFile("config/webhook/webhook.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := bytes.Split(data, []byte("---\n"))
	var configuration admissionv1.ValidatingWebhookConfiguration
	if err := yaml.UnmarshalStrict(documents[len(documents)-1], &configuration); err != nil || configuration.Name != webhook.Name {
		t.Fatal(configuration.Name, err)
	}
	var out []admissionv1.ValidatingWebhook
	for i, address := range addresses {
		for _, w := range configuration.Webhooks {
			w.Name = fmt.Sprintf("replica%d.%s", i, w.Name)
			w.ClientConfig = admissionv1.WebhookClientConfig{URL: ptr.To("https://" + address + *w.ClientConfig.Service.Path)}
			out = append(out, w)
		}
	}
	return out
}

// replica starts another operator, which waits for the lead and serves the webhook.
func (w *vworkspace) replica(t *testing.T, address string) (stop func() error) {
	t.Helper()
	options := w.options
	options.Registry = prometheus.NewPedanticRegistry()
	options.Webhook.Address = address
	o, err := operator.New(w.Account(), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Start(ctx) }()
	stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return stop
}

// authorities waits until every webhook trusts a number of authorities besides some, and adds them to those.
func (w *vworkspace) authorities(t *testing.T, known map[string]bool, want int) {
	t.Helper()
	world.Eventually(t, func() error {
		var c admissionv1.ValidatingWebhookConfiguration
		if err := w.API.Get(t.Context(), client.ObjectKey{Name: webhook.Name}, &c); err != nil {
			return err
		}
		more := map[string]bool{}
		for _, h := range c.Webhooks {
			list, _ := cert.ParseCertsPEM(h.ClientConfig.CABundle) // there may be none yet
			more = map[string]bool{}
			for _, a := range list {
				if serial := a.SerialNumber.String(); !known[serial] {
					more[serial] = true
				}
			}
			if len(more) != want {
				return fmt.Errorf("%s trusts %d more authorities, want %d", h.Name, len(more), want)
			}
		}
		maps.Copy(known, more)
		return nil
	})
}

// touch makes the operators look at the configuration of the webhook.
func (w *vworkspace) touch(t *testing.T, name string) {
	t.Helper()
	c := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhook.Name}}
	world.Edit(t, w.World, c, func(c *admissionv1.ValidatingWebhookConfiguration) {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.dev/touched", name)
	})
}

// denied returns an error unless the webhook refuses a claim, for a reason, and without repeating it.
func (w *vworkspace) denied(ctx context.Context, o client.Object, text string, want error) error {
	err := w.API.Create(ctx, o, client.DryRunAll)
	switch {
	case !apierrors.IsForbidden(err) || !strings.HasSuffix(err.Error(), "denied the request: "+want.Error()):
		return fmt.Errorf("want %q, have %v", want, err)
	case strings.Contains(err.Error(), text):
		return errors.New("the answer repeats the claim")
	}
	return nil
}

// edit sends an edit of an operation, as a dry run.
func (w *vworkspace) edit(t *testing.T, o *opsapi.Operation, change func(*opsapi.Operation)) error {
	t.Helper()
	for {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Fatal(err)
		}
		edited := o.DeepCopy()
		change(edited)
		if err := w.API.Update(t.Context(), edited, client.DryRunAll); !apierrors.IsConflict(err) {
			return err
		}
	}
}

// binding tests that a claim approves one thing: an operation that exists, as it is. It is no approval of one of the same name, of an
// edited one, or of nothing at all.
func (w *vworkspace) binding(t *testing.T, asks func(name, text string) *opsapi.Operation) {
	t.Helper()
	claimed := func(text string) func(*opsapi.Operation) {
		return func(o *opsapi.Operation) { o.Spec.Approvals.Claim = text }
	}
	image := func(o *opsapi.Operation) { o.Spec.Parameters.Job.Image = "evil" }
	o, weekly := asks("nightly", ""), asks("weekly", "")
	w.Create(t, o) // without a claim it waits
	w.Create(t, weekly)
	w.Seen.Reach(t, o, "Blocked=True AwaitingApproval")
	good := w.approve(t, o, time.Hour)
	refused := func(what string, o *opsapi.Operation, want error, changes ...func(*opsapi.Operation)) {
		t.Helper()
		err := w.edit(t, o, func(o *opsapi.Operation) {
			for _, change := range changes {
				change(o)
			}
		})
		if !apierrors.IsForbidden(err) || !strings.HasSuffix(err.Error(), "denied the request: "+want.Error()) ||
			strings.Contains(err.Error(), good) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	refused("a forged claim", o, claim.ErrSignature, claimed(w.sign(t, eve, w.subject(t, o), time.Hour)))
	refused("an expired claim", o, claim.ErrExpired, claimed(w.approve(t, o, -time.Second)))
	refused("the claim of another operation", weekly, claim.ErrOther, claimed(good))
	refused("the claim, and an edit with it", o, claim.ErrChanged, claimed(good), image)
	refused("the claim of another cluster", o, claim.ErrOther, claimed(func() string {
		s := w.subject(t, o)
		s.Cluster = "edge-2"
		return w.sign(t, ada, s, time.Hour)
	}()))
	world.Edit(t, w.World, o, claimed(good))
	invalid := func(what string, o *opsapi.Operation, change func(*opsapi.Operation)) {
		t.Helper()
		if err := w.edit(t, o, change); !apierrors.IsInvalid(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.Seen.Reach(t, o, "Succeeded=True EngineCompleted")
	for _, o := range []*opsapi.Operation{o, weekly} { // with a claim, and without
		invalid("required is lowered", o, func(o *opsapi.Operation) { o.Spec.Approvals.Required = false })
	}
	invalid("the parameters are edited under a claim", o, image)
	invalid("the policy is edited under a claim", o, func(o *opsapi.Operation) { o.Spec.Policy.RequireReady = new(true) })
	invalid("the wait window is edited under a claim", o,
		func(o *opsapi.Operation) { o.Spec.PreconditionTimeout = &metav1.Duration{Duration: time.Second} })

	// Another operation of the same name.
	w.Remove(t, o)
	w.Gone(t, o)
	again := asks("nightly", "")
	image(again)
	if err := w.denied(t.Context(), asks("nightly", good), good, claim.ErrOther); err != nil {
		t.Errorf("replayed: %v", err)
	}
	w.Create(t, again)
	refused("the claim of the operation that was deleted", again, claim.ErrOther, claimed(good))
}

// warned keeps the warnings of the API server.
type warned []string

func (w *warned) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

// admitted tests operations that are created: one that conflicts with another is admitted with the warning that it is blocked, is
// Accepted=True and Blocked=True, and runs when the other one has ended. One with a problem of its own is denied.
func (w *vworkspace) admitted(t *testing.T, ns string) {
	t.Helper()
	var warnings warned
	config := rest.CopyConfig(w.Config)
	config.WarningHandler = &warnings
	api, err := client.New(config, client.Options{Scheme: w.API.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	create := func(o *opsapi.Operation, want ...string) {
		t.Helper()
		warnings = nil
		if err := api.Create(t.Context(), o); err != nil || !slices.Equal(warnings, want) {
			t.Fatalf("%s: warnings %q, want %q; %v", o.Name, []string(warnings), want, err)
		}
	}
	w.Create(t, instance(ns, "shop"))
	restore := pod(of(w.operation(ns, "restore", "shop"), engine.Restore, engine.Job), "run")
	create(restore)
	w.Seen.Reach(t, restore, "Running=True EngineStarted")
	command := w.operation(ns, "command", "shop")
	create(command, "Blocked=True ConflictingOperation: Restore restore is in flight on the same target; this operation starts when the other one has ended")
	w.Seen.Reach(t, command, "Accepted=True AdmissionPassed", "Blocked=True ConflictingOperation")
	if c := w.Condition(t, command, "Accepted"); c == nil || c.Message != "" {
		t.Errorf("with a webhook Accepted is %+v", c)
	}
	w.finish(t, restore)
	w.Seen.Reach(t, command, "Succeeded=True EngineCompleted", "Blocked=False Unblocked")
	empty := w.operation(ns, "empty", "shop")
	empty.Spec.Parameters.Job = nil
	if err := api.Create(t.Context(), empty); !apierrors.IsForbidden(err) ||
		!strings.HasSuffix(err.Error(), "denied the request: spec.parameters.job.image is missing") {
		t.Errorf("an operation without an image: %v", err)
	}
}

// webhooked: operations are validated when they are created, and claims are verified when they are written, by two replicas, while
// certificates are replaced, and after somebody overwrote the trusted authorities. While the webhook is down a claim that is not valid is
// stored and approves nothing.
func webhooked(t *testing.T, w *vworkspace) {
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	address, second := world.Free(t), world.Free(t)
	w.options.Webhook = operator.WebhookOptions{Address: address, Host: "127.0.0.1"}
	w.run(t)
	ns := w.namespace(t)
	w.Create(t, instance(ns, "shop"))
	forged := w.sign(t, eve, unrelated(ns, "forged"), 100*time.Hour)
	asks := func(name, text string) *opsapi.Operation {
		o := w.operation(ns, name, "shop")
		o.Spec.Approvals = opsapi.Approvals{Required: true, Claim: text}
		return o
	}
	bad := func() error { return w.denied(t.Context(), asks("forged", forged), forged, claim.ErrSignature) }
	configuration := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhook.Name},
		Webhooks: webhooks(t, address)}
	w.Create(t, configuration)
	world.Eventually(t, bad)

	approvedApp := instance(ns, "approved")
	approvedApp.Annotations = map[string]string{appsapi.AnnotationApprovalClaim: forged}
	early := w.sign(t, ada, unrelated(ns, "weekly"), time.Hour)
	for name, test := range map[string]struct {
		object client.Object
		text   string
		want   error
	}{
		"before the object exists": {asks("weekly", early), early, claim.ErrOther},
		"malformed":                {asks("weekly", "vws1.what.ever"), "vws1.what.ever", claim.ErrMalformed},
		"an instance":              {approvedApp, forged, claim.ErrSignature},
	} {
		if err := w.denied(t.Context(), test.object, test.text, test.want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.binding(t, asks)
	w.admitted(t, w.namespace(t))

	// Somebody overwrites the trusted authorities.
	world.Edit(t, w.World, configuration, func(c *admissionv1.ValidatingWebhookConfiguration) {
		for i := range c.Webhooks {
			c.Webhooks[i].ClientConfig.CABundle = nil
		}
	})
	known := map[string]bool{}
	w.authorities(t, known, 1)
	world.Eventually(t, bad)

	// Two replicas; certificates are replaced while requests go on, and none of them passes.
	stopSecond := w.replica(t, second)
	world.Edit(t, w.World, configuration, func(c *admissionv1.ValidatingWebhookConfiguration) {
		c.Webhooks = append(c.Webhooks, webhooks(t, second)...)
		for i := range c.Webhooks[2:] {
			c.Webhooks[2+i].Name = "second" + c.Webhooks[2+i].Name
		}
	})
	w.authorities(t, known, 1)
	world.Eventually(t, bad)
	ctx, cancel := context.WithCancel(t.Context())
	var passed error
	tried := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil && passed == nil {
			if err := w.denied(ctx, asks("forged", forged), forged, claim.ErrSignature); err != nil && ctx.Err() == nil {
				passed = err
			}
			tried++
		}
	}()
	w.Advance(webhook.Lifetime * 2 / 3)
	w.touch(t, "renew")
	w.authorities(t, known, 2)
	w.Advance(webhook.Settle)
	w.touch(t, "serve")
	w.Advance(webhook.Lifetime * 2 / 3)
	w.touch(t, "renew again")
	w.authorities(t, known, 2)
	cancel()
	<-done
	if passed != nil || tried == 0 {
		t.Errorf("while certificates were replaced, of %d requests one passed: %v", tried, passed)
	}
	if err := bad(); err != nil {
		t.Error(err)
	}

	// One replica ends: the other one answers, alone.
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := bad(); err != nil {
		t.Error(err)
	}

	// The webhook is down: the claim is stored, and approves nothing.
	if err := stopSecond(); err != nil {
		t.Fatal(err)
	}
	stored := asks("forged", forged)
	w.Create(t, stored)
	w.run(t)
	w.Seen.Reach(t, stored, "Blocked=True AwaitingApproval", "Running=False EngineNotStarted")
	world.Edit(t, w.World, stored, func(o *opsapi.Operation) {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, opsapi.AnnotationCancel, "true")
	})
	w.Seen.Reach(t, stored, "Cancelled=True UserCancelled") // it may be written all the time: its claim does not change

	var events eventsv1.EventList
	if err := w.API.List(t.Context(), &events); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if strings.Contains(fmt.Sprint(e), forged[:40]) {
			t.Errorf("an event has the claim: %s", e.Note)
		}
	}
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(stored), stored); err != nil ||
		strings.Contains(fmt.Sprint(stored.Status), forged[:40]) {
		t.Errorf("the status has the claim: %v %v", stored.Status, err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/tristate/tristate/proof/plane/deny"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var versions = []string{"1.0.0", "1.1.0", "1.2.0"}

// step does something to a tenant and returns a description.
func (o *oracle) step(t *testing.T, p *played) string {
	t.Helper()
	steps := []func(*testing.T, *played) string{o.life, o.edit, o.edit, o.edit, o.fetches, o.fetches, o.helms, o.helms, o.helms, o.checks,
		o.approves, o.asks, o.asks, o.engines, o.engines, o.engines, o.forges, o.ends, o.edits, o.needs, o.secretsOf, o.lets}
	for {
		if what := steps[o.random.IntN(len(steps))](t, p); what != "" {
			return what
		}
	}
}

// shop returns the instance of a tenant.
func (p *played) shop() *appsapi.ApplicationInstance { return instance(p.ns, "shop") }

// spec sets the spec and the annotations of an instance by the facts.
func (o *oracle) spec(t *testing.T, p *played) func(*appsapi.ApplicationInstance) {
	a := &p.app
	return func(x *appsapi.ApplicationInstance) {
		x.Spec.AppRef.CatalogID = map[bool]string{true: "governed", false: "odoo"}[a.governed]
		x.Spec.Chart.Version, x.Spec.Chart.Insecure = a.version, a.insecure
		x.Spec.Values, x.Spec.Probes = nil, nil
		if a.wantsSecret {
			x.Spec.Values = &appsapi.Values{Source: "secretRef", SecretRef: &appsapi.ValuesRef{Name: "values"}}
		}
		no := false
		x.Spec.Integrations = appsapi.Integrations{CertManager: appsapi.Integration{Enabled: a.wantsCertificate},
			ExternalSecrets: appsapi.Integration{Enabled: a.wantsExternal}}
		if a.wantsCertificate {
			x.Spec.Integrations.Ingress = appsapi.Ingress{Enabled: true, Host: "shop.example.com", Probe: &no}
		}
		if a.probed {
			x.Spec.Probes = []appsapi.Probe{{Name: "web", URL: p.web.url, FailureThreshold: 2}}
		}
		for key, on := range map[string]bool{appsapi.AnnotationReconcile: a.suspended, appsapi.AnnotationApprovalRequired: a.required} {
			value := map[string]string{appsapi.AnnotationReconcile: "disabled", appsapi.AnnotationApprovalRequired: "true"}[key]
			if delete(x.Annotations, key); on {
				metav1.SetMetaDataAnnotation(&x.ObjectMeta, key, value)
			}
		}
		if delete(x.Annotations, appsapi.AnnotationApprovalClaim); a.claim == "" {
			return
		}
		if a.claimText == "" { // it is for the content of this moment
			s, err := claim.Instance(clusterID, x)
			if err != nil {
				t.Fatal(err)
			}
			a.claimText, a.claimed = o.claims(t, a.claim, s, a.claimEnds), a.content()
		}
		metav1.SetMetaDataAnnotation(&x.ObjectMeta, appsapi.AnnotationApprovalClaim, a.claimText)
	}
}

// life creates or deletes the instance; an uninstall may be held by Helm or by an object of the chart.
func (o *oracle) life(t *testing.T, p *played) string {
	a := &p.app
	shop := p.shop()
	switch {
	case a.leaving == "release":
		o.finalizers(t, p, nil)
		o.Gone(t, shop)
	case a.leaving == "child":
		child := p.service()
		world.Edit(t, o.World, child, func(s *corev1.Service) { s.Finalizers = nil })
		o.Remove(t, child)
		o.Gone(t, shop)
	case !a.exists:
		if a.occupied = o.random.IntN(5) == 0; a.occupied {
			squatter := object(helmv2.GroupVersion.String(), "HelmRelease", p.ns, "shop")
			squatter.Object["spec"] = map[string]any{"interval": "1m", "chartRef": map[string]any{"kind": "OCIRepository", "name": "other"}}
			o.Create(t, squatter)
		}
		o.spec(t, p)(shop)
		o.Create(t, shop)
		a.exists, a.uid = true, string(shop.UID)
		return describe("created, its HelmRelease is somebody else's: %v", a.occupied)
	case o.random.IntN(3) > 0:
		return ""
	case !a.occupied && o.flux[p.ns].release != nil && o.random.IntN(2) == 0:
		o.finalizers(t, p, []string{helmv2.HelmReleaseFinalizer})
		o.Remove(t, shop)
		a.leaving = "release"
		return "deleted, and Helm works on it"
	case o.random.IntN(2) == 0:
		o.Create(t, p.service())
		o.Remove(t, shop)
		a.leaving = "child"
		return "deleted, and an object of the chart stays"
	default:
		o.Remove(t, shop)
		o.Gone(t, shop)
	}
	if a.occupied {
		o.Remove(t, object(helmv2.GroupVersion.String(), "HelmRelease", p.ns, "shop"))
	}
	// The garbage collector of the cluster removes the objects that the instance owned; nobody else does here.
	for _, u := range []*unstructured.Unstructured{object(helmv2.GroupVersion.String(), "HelmRelease", p.ns, "shop"),
		object("source.toolkit.fluxcd.io/v1", "OCIRepository", p.ns, "shop-source")} {
		o.Remove(t, u)
		o.Gone(t, u)
	}
	*a = app{governed: a.governed, version: a.version, hasSecret: a.hasSecret, certificate: a.certificate, external: a.external, sick: a.sick}
	return "deleted"
}

func (p *played) service() *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "web",
		Labels: map[string]string{appsapi.LabelInstance: "shop"}, Finalizers: []string{"example.dev/load-balancer"}},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
}

// finalizers sets those of the HelmRelease.
func (o *oracle) finalizers(t *testing.T, p *played, finalizers []string) {
	t.Helper()
	world.Eventually(t, func() error {
		u := object(helmv2.GroupVersion.String(), "HelmRelease", p.ns, "shop")
		if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		u.SetFinalizers(finalizers)
		return o.API.Update(t.Context(), u)
	})
}

// edit changes the spec or an annotation.
func (o *oracle) edit(t *testing.T, p *played) string {
	a := &p.app
	if !a.exists || a.leaving != "" {
		return ""
	}
	what := ""
	switch o.random.IntN(7) {
	case 0, 1:
		a.version = world.Pick(o.random, a.version, versions...)
		what = "version " + a.version
	case 2:
		a.suspended = !a.suspended
		what = describe("suspended: %v", a.suspended)
	case 3:
		a.insecure = !a.insecure
		what = describe("insecure: %v", a.insecure)
	case 4:
		a.wantsSecret = !a.wantsSecret
		what = describe("values in a Secret: %v", a.wantsSecret)
	case 5:
		a.wantsCertificate = !a.wantsCertificate
		what = describe("certificate: %v", a.wantsCertificate)
	case 6:
		a.wantsExternal = !a.wantsExternal
		what = describe("external secrets: %v", a.wantsExternal)
	}
	world.Edit(t, o.World, p.shop(), o.spec(t, p))
	return what
}

// approves asks for an approval of the instance, or grants one.
func (o *oracle) approves(t *testing.T, p *played) string {
	a := &p.app
	if !a.exists || a.leaving != "" {
		return ""
	}
	if a.required == (o.random.IntN(4) == 0) {
		a.required = !a.required
	} else {
		a.claim, a.claimText, a.claimed = claimKinds[o.random.IntN(len(claimKinds))], "", ""
		a.claimEnds = time.Time{}
		if a.claim != "" {
			a.claimEnds = o.Now().Add([]time.Duration{20 * time.Minute, 12 * time.Hour}[o.random.IntN(2)]).Truncate(time.Second)
		}
	}
	world.Edit(t, o.World, p.shop(), o.spec(t, p))
	return describe("approval required: %v, claim: %s for %s", a.required, a.claim, a.claimed)
}

// checks changes the endpoint, or has it checked.
func (o *oracle) checks(t *testing.T, p *played) string {
	a := &p.app
	if a.probed && o.random.IntN(4) > 0 {
		if a.sick = !a.sick; a.sick {
			p.web.code.Store(http.StatusBadGateway)
		} else {
			p.web.code.Store(http.StatusOK)
		}
		return describe("endpoint fails: %v", a.sick)
	}
	if !a.exists || a.leaving != "" {
		return ""
	}
	a.probed = !a.probed
	world.Edit(t, o.World, p.shop(), o.spec(t, p))
	return describe("checked: %v", a.probed)
}

// fetches plays source-controller.
func (o *oracle) fetches(t *testing.T, p *played) string {
	source := o.flux[p.ns].source
	if source == nil || p.app.leaving != "" {
		return ""
	}
	tag := text(source, "spec", "ref", "tag")
	switch o.random.IntN(7) {
	case 2:
		if a := &p.app; a.suspended || a.blockedBy(&o.surroundings, o.Now()) != "" || a.suspendedBy(&o.surroundings, o.Now()) != "" {
			return "" // nothing is applied
		}
		o.Remove(t, source)
		p.app.edited.source = ""
		return "a person deletes the source"
	case 0:
		o.sourceWrites(t, p.shop(), tag, "Reconciling True ProgressingWithRetry", "Ready False OCIArtifactPullFailed",
			"FetchFailed True OCIArtifactPullFailed")
		return "the registry is lost"
	case 1:
		o.sourceWrites(t, p.shop(), "", "Reconciling True NewGeneration", "Ready Unknown Progressing")
		return "the chart is being fetched"
	}
	o.fetched(t, p.shop(), tag)
	return "fetched " + tag
}

// helms plays helm-controller, and people who edit or delete a HelmRelease.
func (o *oracle) helms(t *testing.T, p *played) string {
	a := &p.app
	f := o.flux[p.ns]
	if f.release == nil || a.occupied || a.leaving != "" {
		return ""
	}
	if on, _, _ := unstructured.NestedBool(f.release.Object, "spec", "suspend"); on == a.halted && o.random.IntN(10) == 0 {
		a.halted = !a.halted
		world.Edit(t, o.World, f.release.DeepCopy(), func(u *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(u.Object, a.halted, "spec", "suspend"); err != nil {
				t.Fatal(err)
			}
		})
		if !a.halted { // its controller looks at it at once
			o.helmStatus(t, p.shop(), helmStatus{cells: []string{"Reconciling True Progressing", "Ready Unknown Progressing"},
				releases: a.history[:min(len(a.history), 5)]})
		}
		return describe("an administrator suspends the HelmRelease: %v", a.halted)
	}
	version := a.rendered
	if o.random.IntN(8) == 0 {
		version = versions[o.random.IntN(len(versions))]
	}
	what := []string{"succeeded", "succeeded", "succeeded", "failed", "progressing", "no-artifact", "drifted", "accepted", "edited",
		"deleted"}[o.random.IntN(10)]
	if paused, _, _ := unstructured.NestedBool(f.release.Object, "spec", "suspend"); paused && what != "edited" && what != "deleted" {
		return "" // its controller does not look at it
	}
	install := !slices.ContainsFunc(a.history, func(s string) bool { return fields(s)[1] != "failed" })
	verb := map[bool]string{true: "Install", false: "Upgrade"}[install]
	for i, s := range a.history {
		if f := fields(s); f[1] == "deployed" {
			a.history[i] = f[0] + " superseded"
		}
	}
	status := helmStatus{}
	switch what {
	case "succeeded", "drifted":
		a.history = slices.Insert(a.history, 0, version+" deployed")
		a.released = "True " + verb + "Succeeded"
		status.cells = []string{"Ready True " + verb + "Succeeded"}
		if what == "drifted" {
			status.cells = append(status.cells, "Drifted True "+helmv2.DriftDetectedReason)
		}
	case "failed":
		a.history = slices.Insert(a.history, 0, version+" failed")
		a.released = "False " + verb + "Failed"
		status.cells = []string{"Stalled True RetriesExceeded", "Ready False " + verb + "Failed"}
	case "progressing", "accepted":
		status.cells = []string{"Reconciling True Progressing", "Ready Unknown Progressing"}
		status.stale = what == "accepted"
	case "no-artifact":
		status.cells = []string{"Reconciling True ProgressingWithRetry", "Ready False " + helmv2.ArtifactFailedReason}
	case "edited":
		u, interval := f.release.DeepCopy(), &a.edited.release
		if f.source != nil && o.random.IntN(2) == 0 {
			u, interval = f.source.DeepCopy(), &a.edited.source
		}
		*interval = map[bool]string{true: "1h0m0s"}[*interval == ""]
		own := map[string]string{"HelmRelease": "5m0s", "OCIRepository": "1m0s"}[u.GetKind()]
		manager := []string{"somebody", kit.Manager}[o.random.IntN(2)] // a name is a claim of whoever writes it
		world.Eventually(t, func() error {
			if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				return err
			}
			if err := unstructured.SetNestedField(u.Object, cmp.Or(*interval, own), "spec", "interval"); err != nil {
				t.Fatal(err)
			}
			return o.API.Update(t.Context(), u, client.FieldOwner(manager))
		})
		return describe("%s sets the interval of the %s to %s", manager, u.GetKind(), cmp.Or(*interval, own))
	case "deleted":
		if a.suspended || a.blockedBy(&o.surroundings, o.Now()) != "" || a.suspendedBy(&o.surroundings, o.Now()) != "" ||
			a.waitsForSecret(&o.surroundings) {
			return "" // nothing is applied
		}
		o.Remove(t, f.release)
		a.history, a.released, a.edited.release = nil, "", ""
		return "somebody deletes the HelmRelease"
	}
	if a.released != "" {
		status.cells = append(status.cells, "Released "+a.released)
	}
	status.releases = a.history[:min(len(a.history), 5)]
	o.helmStatus(t, p.shop(), status)
	return describe("Helm: %s %s", what, version)
}

// needs returns the Certificate and the ExternalSecret of the chart.
func (o *oracle) needs(t *testing.T, p *played) string {
	group, kind, name, state := "cert-manager.io", "Certificate", "tls", &p.app.certificate
	if o.random.IntN(2) == 0 {
		group, kind, name, state = "external-secrets.io", "ExternalSecret", "db", &p.app.external
	}
	if !o.served[group] {
		return ""
	}
	was := *state
	*state = world.Pick(o.random, was, "ready", "unready", "")
	u := object(group+"/v1", kind, p.ns, name)
	world.Set(t, o.World, u, was, *state, func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{"app.kubernetes.io/instance": "shop"})
		u.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready",
			"status": map[string]string{"ready": "True", "unready": "False"}[*state], "reason": "Tested"}}}
	})
	return kind + ": " + *state
}

// secretsOf creates or deletes the Secret with the values.
func (o *oracle) secretsOf(t *testing.T, p *played) string {
	a := &p.app
	if !a.wantsSecret && o.random.IntN(3) > 0 {
		return ""
	}
	was := map[bool]string{true: "there"}[a.hasSecret]
	a.hasSecret = !a.hasSecret
	values := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "values"}}
	world.Set(t, o.World, values, was, map[bool]string{true: "there"}[a.hasSecret], func(s *corev1.Secret) {
		s.StringData = map[string]string{"values.yaml": "password: chart-password-of-" + p.ns}
	})
	return describe("Secret with values: %v", a.hasSecret)
}

// lets removes the HelmRelease of somebody else.
func (o *oracle) lets(t *testing.T, p *played) string {
	if !p.app.occupied || p.app.leaving != "" {
		return ""
	}
	o.Remove(t, object(helmv2.GroupVersion.String(), "HelmRelease", p.ns, "shop"))
	p.app.occupied = false
	return "the HelmRelease of somebody else goes"
}

// refused edits the version while the API server refuses to write the source or the release of an instance: row Blocked=True PolicyDenied,
// "Cluster-side policy rejected the desired state". Afterwards the edit is applied.
func (o *oracle) refused(t *testing.T, p *played) string {
	a, now := &p.app, o.Now()
	approve := a.required || o.policy == "approve" && a.governed // another version would wait for it
	if !a.exists || a.leaving != "" || a.occupied || approve || o.flux[p.ns].release == nil || a.suspendedBy(&o.surroundings, now) != "" ||
		a.blockedBy(&o.surroundings, now) != "" {
		return ""
	}
	rule := []deny.Rule{{Group: helmv2.GroupVersion.Group, Resource: "helmreleases"},
		{Group: "source.toolkit.fluxcd.io", Resource: "ocirepositories"}}[o.random.IntN(2)]
	rule.User, rule.Namespace = o.User(), p.ns
	allow, err := deny.Writes(t.Context(), o.API, rule)
	if err != nil {
		t.Fatal(err)
	}
	a.version = world.Pick(o.random, a.version, versions...)
	shop := p.shop()
	world.Edit(t, o.World, shop, o.spec(t, p))
	world.Eventually(t, func() error {
		if c := o.Condition(t, shop, "Blocked"); c == nil || c.Status != metav1.ConditionTrue || c.Reason != "PolicyDenied" ||
			!strings.Contains(c.Message, deny.Message) {
			return fmt.Errorf("a write of %s is refused: Blocked is %+v, want True PolicyDenied with the refusal", rule.Resource, c)
		}
		return nil
	})
	if err := allow(); err != nil {
		t.Fatal(err)
	}
	world.Eventually(t, func() error { // before another step suspends it with one of the two written
		o.Wake(t)
		release := object(helmv2.GroupVersion.String(), "HelmRelease", p.ns, "shop")
		err := o.API.Get(t.Context(), client.ObjectKeyFromObject(release), release)
		if have := release.GetAnnotations()[kit.AnnotationVersion]; err == nil && have != a.version {
			err = fmt.Errorf("the HelmRelease is of version %s, want %s", have, a.version)
		}
		return err
	})
	a.render()
	return describe("version %s, of which a write of %s was refused", a.version, rule.Resource)
}

// refuses has the API server refuse one write of the operator for a tenant, of a child or a status, with the next step: by a policy,
// because the server is in trouble, by a conflict, or, of a status, as if the object were gone. The statuses are those of the step alone
// once the operator has tried again. An object of an engine that a policy refuses ends its operation, which refused has.
func (o *oracle) refuses(p *played) {
	code := []int{http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusConflict,
		http.StatusNotFound}[o.random.IntN(5)]
	skip := o.random.IntN(3) // not always the first one
	o.next.Write(code, func(_, path string) bool {
		status := strings.HasSuffix(path, "/status")
		flux := strings.Contains(path, "/helmreleases") || strings.Contains(path, "/ocirepositories")
		if !strings.Contains(path, "/namespaces/"+p.ns+"/") || code == http.StatusForbidden && !flux && !status ||
			code == http.StatusNotFound && !status {
			return false
		}
		skip--
		return skip < 0
	})
}

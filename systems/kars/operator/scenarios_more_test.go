// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/karseval"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// workloads tests the Deployment of a sandbox: created, available, refused.
func workloads(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	models := newInferencePolicy(ns, "models")
	models.Spec = api.InferencePolicySpec{}
	w.Create(t, models)
	sandbox := newSandbox(ns, "working")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=False Created", "Progressing=True Creating")
	w.Seen.Reach(t, sandbox, "Ready=True Reconciled", "Progressing=False Reconciled")

	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: kit.SandboxNamespace("working"), Name: "none"},
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}}}
	w.Create(t, quota)
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(quota), quota); err != nil {
			return err
		}
		if _, counted := quota.Status.Hard[corev1.ResourcePods]; !counted {
			return fmt.Errorf("the quota is not in force")
		}
		return nil
	})
	if err := w.API.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace(quota.Namespace)); err != nil {
		t.Fatal(err)
	}
	w.Seen.Reach(t, sandbox, "Ready=False Failed", "!Degraded", "Progressing=False Failed")
	w.Remove(t, quota)
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime.Kind = "LangGraph" })
	w.Seen.Reach(t, sandbox, "Ready=True Reconciled", "Degraded=False Reconciled")

	// The namespace of another sandbox is not taken.
	other := w.NewNamespace(t)
	w.Create(t, &api.InferencePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: other, Name: "models"}})
	twin := newSandbox(other, "working")
	w.Create(t, twin)
	w.Seen.Reach(t, twin, "Ready=False Failed")
	w.Leave(t, twin)
	w.Leave(t, sandbox)
}

// signer is who signs artifacts in the tests.
var signer = keyOf(9)

// policy returns a signer policy that accepts the signer.
func policy(t *testing.T) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: artifact.PolicyName}, Data: map[string]string{
		"ed25519Keys": encode(t, []map[string]any{{"id": "ci", "publicKeyBase64": base64.StdEncoding.EncodeToString([]byte(signer.public)),
			"allowedSubjects": []string{"*/lists"}}}),
	}}
}

// publish pushes an artifact and returns the reference to it.
func (w *kars) publish(t *testing.T, repository, mediaType, content string) api.ArtifactRef {
	t.Helper()
	image := image(t, mediaType, mediaType, []byte(content), nil)
	hash, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	w.push(t, repository, image)
	return api.ArtifactRef{Registry: w.registry, Repository: repository, Digest: hash.String()}
}

func image(t *testing.T, config, mediaType string, content []byte, subject *v1.Descriptor) v1.Image {
	t.Helper()
	out := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.MediaType(config))
	out, err := mutate.AppendLayers(out, static.NewLayer(content, types.MediaType(mediaType)))
	if err != nil {
		t.Fatal(err)
	}
	if subject == nil {
		return out
	}
	return mutate.Subject(out, *subject).(v1.Image)
}

func (w *kars) push(t *testing.T, repository string, image v1.Image) {
	t.Helper()
	hash, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	at, err := name.NewDigest(w.registry+"/"+repository+"@"+hash.String(), name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(at, image); err != nil {
		t.Fatal(err)
	}
}

// sign attaches a Sigstore bundle to an artifact; tamper changes the signature.
func (w *kars) sign(t *testing.T, ref api.ArtifactRef, tamper bool) {
	t.Helper()
	at, err := name.NewDigest(ref.Registry+"/"+ref.Repository+"@"+ref.Digest, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	found, err := remote.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(found.Manifest)
	signature := ed25519.Sign(signer.private, found.Manifest)
	if tamper {
		signature[0] ^= 1
	}
	const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	bundle, err := protojson.Marshal(&protobundle.Bundle{
		MediaType: mediaType,
		VerificationMaterial: &protobundle.VerificationMaterial{Content: &protobundle.VerificationMaterial_PublicKey{
			PublicKey: &protocommon.PublicKeyIdentifier{Hint: "ci"}}},
		Content: &protobundle.Bundle_MessageSignature{MessageSignature: &protocommon.MessageSignature{
			MessageDigest: &protocommon.HashOutput{Algorithm: protocommon.HashAlgorithm_SHA2_256, Digest: sum[:]}, Signature: signature}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.push(t, ref.Repository, image(t, mediaType, mediaType, bundle, &found.Descriptor))
}

// list returns an artifact with destinations.
func list(t *testing.T, generation int64, hosts ...string) string {
	t.Helper()
	var endpoints []digest.Endpoint
	for _, host := range hosts {
		endpoints = append(endpoints, digest.Endpoint{Host: host, Port: 443})
	}
	content, err := artifact.NewAllowlist(generation, endpoints)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// allowlists tests the destinations of a sandbox: in the spec, signed, tampered, stale.
func allowlists(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "listed")
	sandbox.Spec.NetworkPolicy = &api.NetworkSpec{AllowedEndpoints: []api.Endpoint{{Host: "A.example.com"}}}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "AllowlistVerified=False Unsigned", "AllowlistAuthoritative=False Inline",
		"!AllowlistDrift")

	good := w.publish(t, "lists", artifact.EgressAllowlist, list(t, 1, "a.example.com"))
	unsigned := w.publish(t, "lists", artifact.EgressAllowlist, list(t, 2, "b.example.com"))
	tampered := w.publish(t, "lists", artifact.EgressAllowlist, list(t, 3, "c.example.com"))
	w.sign(t, good, false)
	w.sign(t, tampered, true)
	refer := func(ref api.ArtifactRef) {
		t.Helper()
		world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.NetworkPolicy.AllowlistRef = &ref })
	}
	// Nothing was ever verified: everything is closed.
	refer(tampered)
	w.Seen.Reach(t, sandbox, "Ready=False FailedClosed", "Degraded=True FailedClosed", "AllowlistVerified=False Unsigned",
		"AllowlistAuthoritative=False FailedClosed")
	refer(good)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Degraded=False Reconciled", "AllowlistVerified=True Verified",
		"AllowlistAuthoritative=True Verified", "!AllowlistDrift")
	// The last known good list stays in force.
	refer(unsigned)
	w.Seen.Reach(t, sandbox, "AllowlistVerified=False Unsigned", "AllowlistAuthoritative=False StaleLKG", "Degraded=False Reconciled")
	missing := good
	missing.Digest = "sha256:" + strings.Repeat("0", 64)
	refer(missing)
	w.Seen.Reach(t, sandbox, "AllowlistVerified=False FailedClosed", "AllowlistAuthoritative=False StaleLKG")
	refer(good)
	w.Seen.Reach(t, sandbox, "AllowlistVerified=True Verified", "AllowlistAuthoritative=True Verified")

	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) {
		s.Spec.NetworkPolicy.AllowedEndpoints = []api.Endpoint{{Host: "z.example.com"}}
	})
	w.Seen.Reach(t, sandbox, "AllowlistDrift=True InlineDiffersFromArtifact", "AllowlistAuthoritative=True InlineDiffersFromArtifact")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.NetworkPolicy.AllowedEndpoints = nil })
	w.Seen.Reach(t, sandbox, "AllowlistDrift=False InlineCleared", "AllowlistAuthoritative=True Verified")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Governance.TrustThreshold = new(int32(700)) })
	world.Eventually(t, func() error { return w.Judged(t, sandbox, "AllowlistDrift") })
	if c := w.Condition(t, sandbox, "AllowlistDrift"); c == nil || c.Reason != "InlineCleared" {
		t.Errorf("a pass later AllowlistDrift is %v", c)
	}
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.NetworkPolicy = nil })
	w.Seen.Reach(t, sandbox, "!AllowlistVerified", "!AllowlistAuthoritative", "!AllowlistDrift")
	w.Leave(t, sandbox)
}

// evals tests runs of a real runner against a real router.
func evals(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	eval := func(name string, spec api.KarsEvalSpec) *api.KarsEval {
		spec.TargetSandboxRef.Name = "judged"
		return &api.KarsEval{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: spec}
	}
	runNow := func(e *api.KarsEval) {
		t.Helper()
		world.Edit(t, w.World, e, func(e *api.KarsEval) { e.Annotations = map[string]string{karseval.RunNow: "true"} })
	}
	one := eval("one", api.KarsEvalSpec{Schedule: "every now and then"})
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling", "!ConformanceDrift")
	w.Seen.Reach(t, one, "Degraded=True SpecInvalid", "Ready=False SpecInvalid")
	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.Schedule = "" })
	w.Seen.Reach(t, one, "Degraded=True TargetSandboxMissing", "Ready=False TargetSandboxMissing")

	// The target exists and cannot run, then is being created, then is ready.
	tools, models := newToolPolicy(ns, "tools"), newInferencePolicy(ns, "models")
	w.Create(t, models)
	sandbox := newSandbox(ns, "judged")
	sandbox.Spec.Governance.Enabled = nil
	sandbox.Spec.Governance.ToolPolicyRef = &api.NameRef{Name: "tools"}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=False ToolPolicyNotFound")
	w.Seen.Reach(t, one, "Degraded=True TargetSandboxNotReady", "Ready=False TargetSandboxNotReady")
	w.Cordon(t, true) // so that the sandbox stays created for a while
	w.Create(t, tools)
	w.Seen.Reach(t, sandbox, "Ready=False Created")
	w.Seen.Reach(t, one, "Ready=False TargetSandboxNotReady")
	w.Cordon(t, false)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, one, "Ready=True CorpusResolved", "Degraded=False Reconciled", "!ConformanceDrift")

	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.Corpus.Builtin = "no-such-corpus" })
	w.Seen.Reach(t, one, "Degraded=True CorpusBuiltinMissing", "Ready=False CorpusBuiltinMissing")
	missing := api.ArtifactRef{Registry: w.registry, Repository: "lists", Digest: "sha256:" + strings.Repeat("0", 64)}
	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.Corpus = api.CorpusSource{BundleRef: &missing} })
	w.Seen.Reach(t, one, "Degraded=True CorpusFetchFailed", "Ready=False CorpusFetchFailed")
	malformed := w.publish(t, "lists", artifact.EvalCorpus, `{"schemaVersion":"v1","name":"empty","cases":[],"colour":"red"}`)
	w.sign(t, malformed, false)
	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.Corpus = api.CorpusSource{BundleRef: &malformed} })
	w.Seen.Reach(t, one, "Degraded=True CorpusParseFailed", "Ready=False CorpusParseFailed")
	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.Corpus = api.CorpusSource{Builtin: "banned-tools"} })
	w.Seen.Reach(t, one, "Ready=True CorpusResolved")

	// A corpus that cannot be written was fetched all right.
	blocked := eval("blocked", api.KarsEvalSpec{})
	free := w.occupy(t, ns, karseval.CorpusName("blocked"))
	w.Create(t, blocked)
	w.Seen.Reach(t, blocked, "Ready=False Failed", "Progressing=False Failed", "!Degraded")
	free()
	w.Seen.Reach(t, blocked, "Ready=True CorpusResolved", "Degraded=False Reconciled")

	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.Schedule = "0 0 1 1 *" })
	w.Seen.Reach(t, one, "Ready=False Scheduled", "Progressing=True Scheduled")
	runNow(one)
	w.Seen.Reach(t, one, "Ready=False RunTriggered", "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Ready=True AllPassed", "ConformanceDrift=False AllPassed", "Degraded=False Reconciled")

	// The policy permits calls that the corpus bans.
	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.FailSandboxOnDrift = true })
	w.profile(t, tools, "tools:\n  deny: [mail]\n", sandbox)
	runNow(one)
	w.Seen.Reach(t, one, "ConformanceDrift=True DriftDetected", "Ready=False RunReportRead", "Degraded=False Reconciled")
	w.Seen.Reach(t, sandbox, "Degraded=True EvalDrift", "Ready=True RouterEnforcing")
	world.Edit(t, w.World, one, func(e *api.KarsEval) { e.Spec.FailSandboxOnDrift = false })
	w.Seen.Reach(t, sandbox, "Degraded=False Reconciled")
	w.profile(t, tools, "tools:\n  allow: [search]\n", sandbox)
	runNow(one)
	w.Seen.Reach(t, one, "ConformanceDrift=False AllPassed", "Ready=True AllPassed")

	// A runner that asks something else than a router prints a report without a verdict; one that fails prints none.
	unable := w.publish(t, "lists", artifact.EvalCorpus,
		`{"schemaVersion":"v1","name":"unable","cases":[{"id":"x","scenario":{"kind":"telepathy"},"expect":{"decision":"Blocked"}}]}`)
	w.sign(t, unable, false)
	two := eval("two", api.KarsEvalSpec{Corpus: api.CorpusSource{BundleRef: &unable}})
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=True CorpusResolved")
	runNow(two)
	w.Seen.Reach(t, two, "Ready=False RunReportRead")
	world.Edit(t, w.World, two, func(e *api.KarsEval) { e.Spec.Corpus = api.CorpusSource{} })
	w.Seen.Reach(t, two, "Ready=True Reconciled")
	world.Edit(t, w.World, two, func(e *api.KarsEval) { e.Spec.Schedule = "0 0 1 1 *" })
	w.Seen.Reach(t, two, "Ready=False Scheduled")

	// The output of a finished run is no report.
	three := eval("three", api.KarsEvalSpec{Corpus: api.CorpusSource{Builtin: "banned-tools"}})
	w.Create(t, three)
	w.Seen.Reach(t, three, "Ready=True CorpusResolved")
	w.Kubelet.Break("karseval-three-")
	runNow(three)
	w.Seen.Reach(t, three, "Degraded=True RunReportParseFailed", "Ready=False RunReportParseFailed")
	w.Kubelet.Break("")
	runNow(three)
	w.Seen.Reach(t, three, "Ready=True AllPassed")
	for _, e := range []*api.KarsEval{one, two, three} {
		w.Remove(t, e)
	}
	w.Leave(t, sandbox)
}

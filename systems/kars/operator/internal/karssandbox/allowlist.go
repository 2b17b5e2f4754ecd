// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Allowlist is the outcome of looking at the destinations of a sandbox: reasons for its three conditions, each empty where the condition is
// not reported, and the destinations to publish.
type Allowlist struct {
	Declared      bool
	Verified      AllowlistVerifiedReason
	Authoritative AllowlistAuthoritativeReason
	Drift         AllowlistDriftReason
	Text          string // of Verified
	Differs       string // destinations added and removed
	Closed        bool   // nothing can be trusted: no destination is allowed and nothing runs
	NoArtifact    bool   // there is none that the list in the spec could differ from
	Endpoints     []digest.Endpoint
	Good          []byte // the artifact, to be kept as the last known good one
}

// Outcome is the result of fetching the artifact.
type Outcome struct {
	Content []byte // verified
	Failure *artifact.Failure
	Kept    []byte // the last known good one
}

// JudgeAllowlist applies the table of the reference, row by row. stored are the conditions as they are; about is the digest of the artifact
// that they are about. Where the artifact cannot be fetched they stay, but not those about another one: it is not the one that is in force.
func JudgeAllowlist(n *api.NetworkSpec, requireSigned bool, o Outcome, stored []metav1.Condition, about string) Allowlist {
	var inline []digest.Endpoint
	if n != nil {
		inline = digest.Normalize(n.AllowedEndpoints)
	}
	switch {
	case n == nil, n.AllowlistRef == nil && len(inline) == 0:
		return Allowlist{NoArtifact: true, Endpoints: []digest.Endpoint{}}
	case n.AllowlistRef == nil && requireSigned:
		return Allowlist{Declared: true, Verified: AllowlistVerifiedUnsigned, Authoritative: AllowlistAuthoritativeFailedClosed, Closed: true,
			Text:       "the list is in the spec, and lists must be signed",
			NoArtifact: true}
	case n.AllowlistRef == nil:
		return Allowlist{Declared: true, Verified: AllowlistVerifiedUnsigned, Authoritative: AllowlistAuthoritativeInline,
			Text: "the list is in the spec", Endpoints: inline,
			NoArtifact: true}
	}
	a := Allowlist{Declared: true}
	failure := o.Failure
	var list artifact.Allowlist
	if failure == nil {
		list, failure = artifact.ParseAllowlist(o.Content)
	}
	if failure == nil {
		a.Verified, a.Authoritative, a.Endpoints, a.Good = AllowlistVerifiedVerified, AllowlistAuthoritativeVerified,
			digest.Merge(list.Spec.Endpoints), o.Content
		a.Text = fmt.Sprintf("%s, generation %d", n.AllowlistRef.Digest, list.Metadata.Generation)
		a.drift(inline, stored)
		return a
	}
	kept, bad := artifact.ParseAllowlist(o.Kept)
	a.Text = failure.Error()
	was := meta.FindStatusCondition(stored, TypeAllowlistVerified)
	stays := failure.Transient() && was != nil && about == n.AllowlistRef.Digest // nothing was learned about the artifact
	if o.Kept == nil || bad != nil {
		a.Authoritative, a.Closed = AllowlistAuthoritativeFailedClosed, true
		if !stays || was.Status == metav1.ConditionTrue {
			a.Verified = reasonOf(failure)
		}
		return a
	}
	a.Endpoints = digest.Merge(kept.Spec.Endpoints)
	if stays {
		return a
	}
	a.Verified, a.Authoritative = reasonOf(failure), AllowlistAuthoritativeStaleLKG
	return a
}

func reasonOf(f *artifact.Failure) AllowlistVerifiedReason {
	if f.Unsigned() {
		return AllowlistVerifiedUnsigned
	}
	return AllowlistVerifiedFailedClosed
}

// drift compares the list in the spec with the artifact. InlineCleared stays as long as there is an artifact to compare with.
func (a *Allowlist) drift(inline []digest.Endpoint, stored []metav1.Condition) {
	if len(inline) > 0 && !slices.Equal(inline, a.Endpoints) {
		a.Authoritative, a.Drift = AllowlistAuthoritativeInlineDiffersFromArtifact, AllowlistDriftInlineDiffersFromArtifact
		a.Differs = differences(inline, a.Endpoints)
		return
	}
	if meta.FindStatusCondition(stored, TypeAllowlistDrift) != nil {
		a.Drift = AllowlistDriftInlineCleared
	}
}

// differences returns a sentence that ends with a JSON object of the destinations added to and removed from the artifact.
func differences(inline, artifact []digest.Endpoint) string {
	minus := func(a, b []digest.Endpoint) []string {
		out := []string{}
		for _, e := range a {
			if !slices.Contains(b, e) {
				out = append(out, fmt.Sprintf("%s:%d", e.Host, e.Port))
			}
		}
		return out
	}
	text, err := json.Marshal(struct {
		Added   []string `json:"added"`
		Removed []string `json:"removed"`
	}{minus(inline, artifact), minus(artifact, inline)})
	if err != nil { // strings only
		panic("karssandbox: differences cannot be encoded: " + err.Error())
	}
	return "the list in the spec differs from the artifact: " + string(text)
}

// artifactOf returns the digest of the artifact with the destinations; empty: there is none.
func artifactOf(n *api.NetworkSpec) string {
	if n == nil || n.AllowlistRef == nil {
		return ""
	}
	return n.AllowlistRef.Digest
}

// keptName returns the name of the ConfigMap of the operator's namespace with the last known good list of a sandbox.
func keptName(o *api.KarsSandbox) string {
	return "karssandbox-lkg-" + digest.Version([]byte(o.Namespace+"/"+o.Name))
}

const keptKey = "allowlist.yaml"

// look fetches the artifact of a sandbox and reads the last known good one.
func look(ctx context.Context, e *kit.Env, o *api.KarsSandbox) (Outcome, error) {
	var out Outcome
	n := o.Spec.NetworkPolicy
	if n == nil || n.AllowlistRef == nil {
		return out, nil
	}
	var kept corev1.ConfigMap
	err := e.Children.Client.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: keptName(o)}, &kept)
	if client.IgnoreNotFound(err) != nil {
		return out, err
	}
	if text, there := kept.Data[keptKey]; there && kept.Annotations[annotationUID] == string(o.UID) {
		out.Kept = []byte(text)
	}
	out.Content, out.Failure = e.Bundle(ctx, *n.AllowlistRef, artifact.EgressAllowlist)
	return out, nil
}

// annotationUID ties a last known good list to one sandbox: a new one of the same name does not inherit it.
const annotationUID = "kars.azure.com/sandbox-uid"

func keep(e *kit.Env, o *api.KarsSandbox, content []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: keptName(o),
		Labels:      kit.SandboxLabels(client.ObjectKeyFromObject(o)),
		Annotations: map[string]string{annotationUID: string(o.UID)}}, Data: map[string]string{keptKey: string(content)}}
}

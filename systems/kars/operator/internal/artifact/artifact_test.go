// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/tristate/tristate/operator/outbound"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"google.golang.org/protobuf/encoding/protojson"
)

const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// encode makes a bundle with a signature over content and everything that verifies it.
func encode(t *testing.T, material *protobundle.VerificationMaterial, content, signature []byte) []byte {
	t.Helper()
	sum := sha256.Sum256(content)
	out, err := protojson.Marshal(&protobundle.Bundle{MediaType: bundleType, VerificationMaterial: material,
		Content: &protobundle.Bundle_MessageSignature{MessageSignature: &protocommon.MessageSignature{
			MessageDigest: &protocommon.HashOutput{Algorithm: protocommon.HashAlgorithm_SHA2_256, Digest: sum[:]}, Signature: signature}}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func class(f *Failure) string {
	if f == nil {
		return "accepted"
	}
	return f.Class
}

// TestPolicy_certificates: any issuer goes with any identity of the policy, under the authorities of its trusted root.
func TestPolicy_certificates(t *testing.T) {
	sigstore, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, sigstore.FulcioCertificateAuthorities(), nil,
		sigstore.TimestampingAuthorities(), nil)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := trusted.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	policy, failure := ParsePolicy(map[string]string{"fulcioIssuers": "https://issuer.example.com\n", "sanPatterns": "*@example.com\n",
		"trustedRoot": string(roots)})
	if failure != nil {
		t.Fatal(failure)
	}
	content := []byte("a manifest")
	signed := func(identity, issuer string) []byte {
		t.Helper()
		entity, err := sigstore.Sign(identity, issuer, content)
		if err != nil {
			t.Fatal(err)
		}
		verification, err := entity.VerificationContent()
		if err != nil {
			t.Fatal(err)
		}
		signature, err := entity.SignatureContent()
		if err != nil {
			t.Fatal(err)
		}
		times, err := entity.Timestamps()
		if err != nil {
			t.Fatal(err)
		}
		material := &protobundle.VerificationMaterial{
			Content: &protobundle.VerificationMaterial_Certificate{
				Certificate: &protocommon.X509Certificate{RawBytes: verification.Certificate().Raw}},
			TimestampVerificationData: &protobundle.TimestampVerificationData{},
		}
		for _, stamp := range times {
			material.TimestampVerificationData.Rfc3161Timestamps = append(material.TimestampVerificationData.Rfc3161Timestamps,
				&protocommon.RFC3161SignedTimestamp{SignedTimestamp: stamp})
		}
		return encode(t, material, content, signature.Signature())
	}
	tests := map[string]struct {
		bundle []byte
		over   string
		want   string
	}{
		"accepted":         {signed("ci@example.com", "https://issuer.example.com"), "a manifest", "accepted"},
		"another identity": {signed("ci@example.org", "https://issuer.example.com"), "a manifest", IdentityMismatch},
		"another issuer":   {signed("ci@example.com", "https://issuer.example.org"), "a manifest", IdentityMismatch},
		"another content":  {signed("ci@example.com", "https://issuer.example.com"), "another manifest", SignatureVerifyFailed},
		"no bundle":        {[]byte(`{}`), "a manifest", SignatureVerifyFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := class(policy.Verify(test.bundle, []byte(test.over), "registry.example.com/lists")); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestPolicy_keys(t *testing.T) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := base64.StdEncoding.EncodeToString(private.Public().(ed25519.PublicKey))
	keys := func(id string) map[string]string {
		return map[string]string{"ed25519Keys": fmt.Sprintf(`[{"id":%q,"publicKeyBase64":%q,"allowedSubjects":["*/lists"]}]`, id, public)}
	}
	content := []byte("a manifest")
	bundle := encode(t, &protobundle.VerificationMaterial{Content: &protobundle.VerificationMaterial_PublicKey{
		PublicKey: &protocommon.PublicKeyIdentifier{Hint: "ci"}}},
		content, ed25519.Sign(private, content))
	tests := map[string]struct {
		policy  map[string]string
		over    string
		subject string
		want    string
	}{
		"accepted":           {keys("ci"), "a manifest", "registry.example.com/lists", "accepted"},
		"another repository": {keys("ci"), "a manifest", "registry.example.com/images", IdentityMismatch},
		"another key":        {keys("cd"), "a manifest", "registry.example.com/lists", IdentityMismatch},
		"another content":    {keys("ci"), "another manifest", "registry.example.com/lists", SignatureVerifyFailed},
		"nobody":             {map[string]string{}, "", "", SignerPolicyMalformed},
		"half a policy":      {map[string]string{"fulcioIssuers": "https://issuer.example.com"}, "", "", SignerPolicyMalformed},
		"no trusted root":    {map[string]string{"fulcioIssuers": "a", "sanPatterns": "b", "trustedRoot": "{"}, "", "", SignerPolicyMalformed},
		"no list":            {map[string]string{"ed25519Keys": "{"}, "", "", SignerPolicyMalformed},
		"a short key":        {map[string]string{"ed25519Keys": `[{"id":"ci","publicKeyBase64":"AAAA"}]`}, "", "", SignerPolicyMalformed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			policy, failure := ParsePolicy(test.policy)
			if failure == nil {
				failure = policy.Verify(bundle, []byte(test.over), test.subject)
			}
			if got := class(failure); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

var loopback = &outbound.Gate{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// TestFetch_elsewhere: a registry that a tenant names cannot send the operator to an address that is not public, or to another host for a
// token, and no credential goes to another host.
func TestFetch_elsewhere(t *testing.T) {
	var asked []string
	var shown []string // credentials
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, shown = append(asked, r.URL.Path), append(shown, r.Header.Get("Authorization"))
		fmt.Fprint(w, `{"Token":"of the metadata service"}`)
	}))
	t.Cleanup(other.Close)
	content := []byte("list")
	manifest, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"layers": []any{map[string]any{"mediaType": EgressAllowlist, "size": len(content), "digest": fmt.Sprintf("sha256:%x", sha256.Sum256(content))}},
		"config": map[string]any{"mediaType": EgressAllowlist, "size": 2, "digest": "sha256:" + strings.Repeat("2", 64)}})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		realm, token, manifest, blob string // where the registry sends the request; empty: nowhere
		gate                         *outbound.Gate
		want                         []string // requests to the other host
		credentials                  []string
	}{
		"the registry is inside":          {gate: &outbound.Gate{}},
		"a realm":                         {realm: other.URL + "/latest/meta-data", gate: loopback},
		"a realm that redirects":          {realm: "/token", token: other.URL + "/latest/meta-data", gate: loopback},
		"a manifest that redirects":       {manifest: other.URL + "/manifest", gate: loopback},
		"a manifest, after its own realm": {realm: "/token", manifest: other.URL + "/manifest", gate: loopback},
		"content, without the credential": {realm: "/token", blob: other.URL + "/content", gate: loopback, want: []string{"/content"}, credentials: []string{""}},
		"content at an address inside":    {blob: "http://10.255.255.1/content", gate: loopback},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			asked, shown = nil, nil
			reached := false
			registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reached = true
				to := ""
				switch {
				case r.URL.Path == "/token":
					if to = test.token; to == "" {
						fmt.Fprint(w, `{"token":"mine"}`)
						return
					}
				case test.realm != "" && r.Header.Get("Authorization") == "":
					realm := test.realm
					if strings.HasPrefix(realm, "/") {
						realm = "http://" + r.Host + realm
					}
					w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer realm=%q", realm))
					w.WriteHeader(http.StatusUnauthorized)
					return
				case strings.Contains(r.URL.Path, "/blobs/"):
					to = test.blob
				case strings.Contains(r.URL.Path, "/manifests/"):
					to = test.manifest
				}
				if to != "" {
					http.Redirect(w, r, to, http.StatusTemporaryRedirect)
					return
				}
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				w.Write(manifest)
			}))
			t.Cleanup(registry.Close)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			_, failure := (&Fetcher{PlainHTTP: true, Gate: test.gate, Now: time.Now}).Fetch(ctx, api.ArtifactRef{
				Registry: strings.TrimPrefix(registry.URL, "http://"), Repository: "lists", Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(manifest))},
				EgressAllowlist, &Policy{})
			if test.want == nil && class(failure) != Unreachable {
				t.Errorf("%v, want %s", failure, Unreachable)
			}
			if diff := cmp.Diff(test.want, asked); diff != "" {
				t.Errorf("requests to another host: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(test.credentials, shown); diff != "" {
				t.Errorf("credentials of these: -want +got\n%s", diff)
			}
			if reached != (test.gate == loopback) {
				t.Errorf("the registry was asked: %v", reached)
			}
		})
	}
}

// TestFetch_hostile: a registry may answer anything; each failure has its class, in bounded time and memory.
func TestFetch_hostile(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) }) // after the tests that run side by side
	manifest := func(size int64, layers int) []byte {
		layer := map[string]any{"mediaType": EgressAllowlist, "size": size, "digest": "sha256:" + strings.Repeat("1", 64)}
		list := []any{}
		for range layers {
			list = append(list, layer)
		}
		out, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "layers": list,
			"config": map[string]any{"mediaType": EgressAllowlist, "size": 2, "digest": "sha256:" + strings.Repeat("2", 64)}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tests := map[string]struct {
		manifest []byte
		code     int
		ref      func(*api.ArtifactRef)
		want     string
	}{
		"refused":   {nil, 401, nil, Unauthorized},
		"forbidden": {nil, 403, nil, Unauthorized},
		"unknown":   {nil, 404, nil, NotFound},
		"broken":    {nil, 503, nil, Unreachable},
		"another manifest": {manifest(3, 1), 200, func(r *api.ArtifactRef) { r.Digest = "sha256:" + strings.Repeat("a", 64) },
			DigestMismatch},
		"a huge layer":              {manifest(1<<40, 1), 200, nil, InvalidRef},
		"two layers":                {manifest(3, 2), 200, nil, InvalidRef},
		"content that is not there": {manifest(3, 1), 200, nil, NotFound},
		"endless manifest":          {[]byte(strings.Repeat(" ", MaxResponse+1)), 200, nil, DigestMismatch},
		"tag":                       {nil, 200, func(r *api.ArtifactRef) { r.Digest = "latest" }, InvalidRef},
		"upper-case digest":         {nil, 200, func(r *api.ArtifactRef) { r.Digest = "sha256:" + strings.Repeat("A", 64) }, InvalidRef},
		"path in registry":          {nil, 200, func(r *api.ArtifactRef) { r.Registry += "/x" }, InvalidRef},
		"another type":              {nil, 200, func(r *api.ArtifactRef) { r.ArtifactType = "text/plain" }, InvalidRef},
		"hangs":                     {nil, -1, nil, Unreachable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/v2/":
				case test.code < 0:
					select {
					case <-hang:
					case <-r.Context().Done():
					}
				case strings.Contains(r.URL.Path, "/blobs/"):
					http.NotFound(w, r)
				default:
					w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
					w.WriteHeader(test.code)
					w.Write(test.manifest)
				}
			}))
			defer server.Close()
			sum := sha256.Sum256(test.manifest)
			ref := api.ArtifactRef{Registry: strings.TrimPrefix(server.URL, "http://"), Repository: "lists", Digest: fmt.Sprintf("sha256:%x", sum)}
			if test.ref != nil {
				test.ref(&ref)
			}
			f := &Fetcher{PlainHTTP: true, Gate: loopback, Now: time.Now}
			ctx := context.Background()
			if test.code < 0 {
				short, cancel := context.WithTimeout(ctx, 200*time.Millisecond) // nothing is answered, however long it waits
				defer cancel()
				ctx = short
			}
			_, failure := f.Fetch(ctx, ref, EgressAllowlist, &Policy{})
			if got := class(failure); got != test.want {
				t.Errorf("%v, want %s", failure, test.want)
			}
		})
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	_, failure := (&Fetcher{PlainHTTP: true, Gate: loopback, Now: time.Now}).Fetch(context.Background(),
		api.ArtifactRef{Registry: address, Repository: "lists", Digest: "sha256:" + strings.Repeat("a", 64)}, EgressAllowlist, &Policy{})
	if class(failure) != Unreachable || strings.Contains(failure.Error(), address) {
		t.Errorf("nobody listens: %v", failure)
	}
	if _, err := io.ReadAll(&cut{strings.NewReader("longer"), 3}); err == nil {
		t.Error("an answer that is cut ends without an error")
	}
}

// TestParseAllowlist: only the canonical bytes are accepted.
func TestParseAllowlist(t *testing.T) {
	good, err := NewAllowlist(2, []digest.Endpoint{{Host: "b", Port: 443}, {Host: "a", Port: 1}})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ content, want string }{
		"canonical":   {string(good), "accepted"},
		"comment":     {string(good) + "# why\n", CanonicalFormViolation},
		"CRLF":        {strings.ReplaceAll(string(good), "\n", "\r\n"), CanonicalFormViolation},
		"no newline":  {strings.TrimSuffix(string(good), "\n"), CanonicalFormViolation},
		"unknown key": {string(good) + "more: 1\n", CanonicalFormViolation},
		"upper case":  {strings.ReplaceAll(string(good), "host: a", "host: A"), CanonicalFormViolation},
		"wildcard":    {strings.ReplaceAll(string(good), "host: a", "host: '*.a'"), CanonicalFormViolation},
		"port":        {strings.ReplaceAll(string(good), "port: 1", "port: 70000"), CanonicalFormViolation},
		"generation":  {strings.ReplaceAll(string(good), "generation: 2", "generation: 0"), CanonicalFormViolation},
		"no YAML":     {"\t", CanonicalFormViolation},
	}
	for name, test := range tests {
		_, failure := ParseAllowlist([]byte(test.content))
		if got := class(failure); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func FuzzParseAllowlist(f *testing.F) {
	f.Add([]byte("apiVersion: kars.dev/v1alpha1\nkind: EgressAllowlist\nmetadata:\n  generation: 1\nspec:\n  endpoints: []\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if list, failure := ParseAllowlist(content); failure == nil {
			if again, err := NewAllowlist(list.Metadata.Generation, list.Spec.Endpoints); err != nil || string(again) != string(content) {
				t.Errorf("%q is accepted and not canonical", content)
			}
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/tristate/tristate/operator/outbound"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
)

// Limits.
const (
	Timeout     = 10 * time.Second
	MaxResponse = 4 << 20   // bytes of any answer
	MaxContent  = 256 << 10 // bytes of the content

	cacheFor      = time.Hour
	maxCached     = 1024
	maxSignatures = 16
)

// Media types of artifacts.
const (
	EgressAllowlist = "application/vnd.kars.egress-allowlist.v1+yaml"
	EvalCorpus      = "application/vnd.kars.eval-corpus.v1+json"

	bundlePrefix = "application/vnd.dev.sigstore.bundle" // of signatures
)

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Fetcher fetches and verifies artifacts. Accepted ones are kept for an hour. It is for concurrent use.
type Fetcher struct {
	PlainHTTP bool           // registries are asked over HTTP; otherwise HTTPS
	Gate      *outbound.Gate // nil: public addresses only
	Now       func() time.Time

	once sync.Once
	base http.RoundTripper

	mu       sync.Mutex
	accepted map[string]kept
}

type kept struct {
	content []byte
	until   time.Time
}

// Fetch returns the content of an artifact of a media type that the policy accepts. A nil policy accepts no artifact.
func (f *Fetcher) Fetch(ctx context.Context, ref api.ArtifactRef, mediaType string, policy *Policy) ([]byte, *Failure) {
	at, failure := f.parse(ref, mediaType)
	if failure != nil {
		return nil, failure
	}
	if policy == nil {
		return nil, failf(SignerPolicyMissing, "there is no signer policy")
	}
	key := at.String() + " " + mediaType + " " + policy.hash
	if content := f.cached(key); content != nil {
		return content, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	manifest, content, failure := f.get(ctx, at, mediaType)
	if failure != nil {
		return nil, failure
	}
	if failure := f.verify(ctx, at, ref, manifest, policy); failure != nil {
		return nil, failure
	}
	f.keep(key, content)
	return content, nil
}

func (f *Fetcher) parse(ref api.ArtifactRef, mediaType string) (name.Digest, *Failure) {
	switch {
	case ref.Registry == "" || strings.ContainsAny(ref.Registry, "/@ "):
		return name.Digest{}, failf(InvalidRef, "registry %q is not a host", ref.Registry)
	case !digestForm.MatchString(ref.Digest):
		return name.Digest{}, failf(InvalidRef, "digest %q is not sha256: and 64 lower-case hex digits", ref.Digest)
	case ref.ArtifactType != "" && ref.ArtifactType != mediaType:
		return name.Digest{}, failf(InvalidRef, "artifactType %q is not %s", ref.ArtifactType, mediaType)
	}
	options := []name.Option{name.StrictValidation}
	if f.PlainHTTP {
		options = append(options, name.Insecure)
	}
	at, err := name.NewDigest(ref.Registry+"/"+ref.Repository+"@"+ref.Digest, options...)
	if err != nil {
		return at, failf(InvalidRef, "repository %q is malformed", ref.Repository)
	}
	return at, nil
}

func (f *Fetcher) options(ctx context.Context, at name.Digest) []remote.Option {
	f.once.Do(func() {
		if f.Gate == nil {
			f.Gate = &outbound.Gate{}
		}
		f.base = bounded{f.Gate.Transport(nil)}
	})
	return []remote.Option{remote.WithContext(ctx), remote.WithTransport(&stay{f.base, f.Gate, at.Context().RegistryStr()}),
		remote.WithRetryBackoff(remote.Backoff{Steps: 1})}
}

// stay keeps the requests for an artifact at its registry. A registry may say where its token comes from, and it may redirect. The token is
// asked for on the registry's host, or on a host that an administrator has listed. Only content comes from elsewhere, without a credential.
type stay struct {
	base     http.RoundTripper
	gate     *outbound.Gate
	registry string // host, with its port if the reference has it
}

// RoundTrip implements [http.RoundTripper].
func (s *stay) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != s.registry && !s.gate.Lists(r.URL.Hostname()) {
		first := r
		for first.Response != nil && first.Response.Request != nil {
			first = first.Response.Request
		}
		switch content := strings.Contains(first.URL.Path, "/blobs/") && first.URL.Host == s.registry; {
		case r.Response == nil:
			return nil, elsewhere("the registry has its tokens on another host")
		case !content:
			return nil, elsewhere("the registry redirects to another host")
		case r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "":
			return nil, elsewhere("the registry redirects to another host with a credential")
		}
	}
	return s.base.RoundTrip(r)
}

// elsewhere is a request that a registry asks for and that is not made.
type elsewhere string

// Error returns the text.
func (e elsewhere) Error() string { return string(e) }

// get fetches a manifest and its layer.
func (f *Fetcher) get(ctx context.Context, at name.Digest, mediaType string) (manifest, content []byte, failure *Failure) {
	found, err := remote.Get(at, f.options(ctx, at)...)
	if err != nil {
		return nil, nil, fetchFailure("manifest", err)
	}
	if sum := sha256.Sum256(found.Manifest); "sha256:"+hex.EncodeToString(sum[:]) != at.DigestStr() {
		return nil, nil, failf(DigestMismatch, "the manifest is not what its digest promises")
	}
	var m v1.Manifest
	if err := json.Unmarshal(found.Manifest, &m); err != nil || len(m.Layers) != 1 {
		return nil, nil, failf(InvalidRef, "the artifact has not exactly one layer")
	}
	layer := m.Layers[0]
	if string(layer.MediaType) != mediaType {
		return nil, nil, failf(InvalidRef, "the content is of type %q, not %s", layer.MediaType, mediaType)
	}
	content, failure = f.blob(ctx, at, layer)
	return found.Manifest, content, failure
}

func (f *Fetcher) blob(ctx context.Context, at name.Digest, layer v1.Descriptor) ([]byte, *Failure) {
	if layer.Size > MaxContent {
		return nil, failf(InvalidRef, "the content has %d bytes, at most %d are read", layer.Size, MaxContent)
	}
	blob, err := remote.Layer(at.Context().Digest(layer.Digest.String()), f.options(ctx, at)...)
	if err != nil {
		return nil, fetchFailure("content", err)
	}
	stream, err := blob.Compressed()
	if err != nil {
		return nil, fetchFailure("content", err)
	}
	defer stream.Close()
	content, err := io.ReadAll(io.LimitReader(stream, MaxContent+1))
	if err != nil {
		return nil, fetchFailure("content", err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != layer.Digest.Hex {
		return nil, failf(DigestMismatch, "the content is not what its digest promises")
	}
	return content, nil
}

// verify looks for a signature that the policy accepts. Of several failures the one that got furthest is returned.
func (f *Fetcher) verify(ctx context.Context, at name.Digest, ref api.ArtifactRef, manifest []byte, policy *Policy) *Failure {
	index, err := remote.Referrers(at, f.options(ctx, at)...)
	if err != nil {
		return fetchFailure("list of signatures", err)
	}
	list, err := index.IndexManifest()
	if err != nil {
		return fetchFailure("list of signatures", err)
	}
	worst := failf(SignatureMissing, "the artifact has no signature")
	seen := 0
	for _, d := range list.Manifests {
		if !strings.HasPrefix(d.ArtifactType, bundlePrefix) {
			continue
		}
		if seen++; seen > maxSignatures {
			break
		}
		_, data, failure := f.signature(ctx, at.Context().Digest(d.Digest.String()))
		if failure != nil {
			if failure.Transient() {
				return failure
			}
			worst = failf(SignatureVerifyFailed, "a signature cannot be read")
			continue
		}
		failure = policy.Verify(data, manifest, ref.Registry+"/"+ref.Repository)
		if failure == nil {
			return nil
		}
		worst = failure
	}
	return worst
}

func (f *Fetcher) signature(ctx context.Context, at name.Digest) (manifest, data []byte, failure *Failure) {
	found, err := remote.Get(at, f.options(ctx, at)...)
	if err != nil {
		return nil, nil, fetchFailure("signature", err)
	}
	var m v1.Manifest
	if err := json.Unmarshal(found.Manifest, &m); err != nil || len(m.Layers) != 1 {
		return nil, nil, failf(SignatureVerifyFailed, "a signature has not exactly one layer")
	}
	data, failure = f.blob(ctx, at, m.Layers[0])
	return found.Manifest, data, failure
}

func (f *Fetcher) cached(key string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k, ok := f.accepted[key]; ok && f.Now().Before(k.until) {
		return bytes.Clone(k.content)
	}
	return nil
}

func (f *Fetcher) keep(key string, content []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.accepted == nil || len(f.accepted) >= maxCached {
		f.accepted = map[string]kept{}
	}
	f.accepted[key] = kept{bytes.Clone(content), f.Now().Add(cacheFor)}
}

// bounded cuts the bodies of answers.
type bounded struct{ base http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{&cut{response.Body, MaxResponse}, response.Body}
	return response, nil
}

// cut reads at most left bytes and then fails, where io.LimitReader would end.
type cut struct {
	r    io.Reader
	left int
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", MaxResponse)
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

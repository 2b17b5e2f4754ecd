// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/signature"
)

// PolicyName is the ConfigMap of the operator's namespace that has the signer policy.
const PolicyName = "kars-signer-policy"

// Policy lists the signers whose signatures are accepted. It is read from the data of a ConfigMap:
//
//	fulcioIssuers  OIDC issuers, one a line
//	sanPatterns    identities, one a line, * matches any text; any issuer goes with any identity, and both lists are needed
//	trustedRoot    the trusted_root.json of Sigstore with the authorities of certificates, timestamps and logs
//	ed25519Keys    JSON list of {id, publicKeyBase64, allowedSubjects}; a subject is a pattern of registry/repository
//
// Malformed never falls back to something else.
type Policy struct {
	identities []verify.PolicyOption
	trusted    *root.TrustedRoot
	keys       map[string]key
	hash       string
}

type key struct {
	ID              string   `json:"id"`
	PublicKeyBase64 string   `json:"publicKeyBase64"`
	AllowedSubjects []string `json:"allowedSubjects"`

	verifier signature.Verifier
}

// ParsePolicy reads a policy.
func ParsePolicy(data map[string]string) (*Policy, *Failure) {
	encoded, err := json.Marshal(data)
	if err != nil {
		return nil, failf(SignerPolicyMalformed, "it cannot be encoded")
	}
	sum := sha256.Sum256(encoded)
	p := &Policy{hash: hex.EncodeToString(sum[:]), keys: map[string]key{}}
	if err := p.parseKeys(data["ed25519Keys"]); err != nil {
		return nil, failf(SignerPolicyMalformed, "ed25519Keys: %v", err)
	}
	issuers, patterns := lines(data["fulcioIssuers"]), lines(data["sanPatterns"])
	switch {
	case len(issuers) == 0 && len(patterns) == 0 && len(p.keys) > 0:
		return p, nil
	case len(issuers) == 0 || len(patterns) == 0:
		return nil, failf(SignerPolicyMalformed, "fulcioIssuers and sanPatterns are needed together")
	}
	for _, issuer := range issuers {
		for _, pattern := range patterns {
			identity, err := verify.NewShortCertificateIdentity(issuer, "", "", glob(pattern))
			if err != nil {
				return nil, failf(SignerPolicyMalformed, "sanPatterns: %v", err)
			}
			p.identities = append(p.identities, verify.WithCertificateIdentity(identity))
		}
	}
	if p.trusted, err = root.NewTrustedRootFromJSON([]byte(data["trustedRoot"])); err != nil {
		return nil, failf(SignerPolicyMalformed, "trustedRoot is not a trusted root of Sigstore")
	}
	return p, nil
}

func (p *Policy) parseKeys(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var list []key
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return errors.New("it is not a JSON list of keys")
	}
	for i, k := range list {
		raw, err := base64.StdEncoding.DecodeString(k.PublicKeyBase64)
		if err != nil || len(raw) != ed25519.PublicKeySize || k.ID == "" {
			return fmt.Errorf("key %d has no id or no Ed25519 public key", i)
		}
		if k.verifier, err = signature.LoadVerifier(ed25519.PublicKey(raw), crypto.SHA512); err != nil {
			return fmt.Errorf("key %d: %w", i, err)
		}
		if _, twice := p.keys[k.ID]; twice {
			return fmt.Errorf("key %q is there twice", k.ID)
		}
		p.keys[k.ID] = k
	}
	return nil
}

// Verify checks a bundle over signed bytes, found in a repository (subject).
func (p *Policy) Verify(data, signed []byte, subject string) *Failure {
	b := &bundle.Bundle{}
	if err := b.UnmarshalJSON(data); err != nil {
		return failf(SignatureVerifyFailed, "a signature is not a Sigstore bundle")
	}
	content, err := b.VerificationContent()
	if err != nil {
		return failf(SignatureVerifyFailed, "a bundle names neither certificate nor key")
	}
	if public := content.PublicKey(); public != nil {
		return p.verifyKey(b, public.Hint(), signed, subject)
	}
	if p.trusted == nil {
		return failf(IdentityMismatch, "the policy accepts no certificates")
	}
	options := []verify.VerifierOption{verify.WithObserverTimestamps(1)}
	if len(p.trusted.RekorLogs()) > 0 {
		options = append(options, verify.WithTransparencyLog(1))
	}
	verifier, err := verify.NewVerifier(p.trusted, options...)
	if err != nil {
		return failf(SignerPolicyMalformed, "trustedRoot: %v", err)
	}
	artifact := func() verify.ArtifactPolicyOption { return verify.WithArtifact(bytes.NewReader(signed)) }
	if _, err := verifier.Verify(b, verify.NewPolicy(artifact(), p.identities...)); err == nil {
		return nil
	}
	if _, err := verifier.Verify(b, verify.NewPolicy(artifact(), verify.WithoutIdentitiesUnsafe())); err == nil {
		return failf(IdentityMismatch, "the artifact is signed by an identity that the policy does not accept")
	}
	return failf(SignatureVerifyFailed, "a signature is not valid")
}

func (p *Policy) verifyKey(b *bundle.Bundle, id string, signed []byte, subject string) *Failure {
	k, known := p.keys[id]
	if !known {
		return failf(IdentityMismatch, "the policy has no key of the id that signed")
	}
	allowed := func(pattern string) bool { ok, err := path.Match(pattern, subject); return ok && err == nil }
	if !slices.ContainsFunc(k.AllowedSubjects, allowed) {
		return failf(IdentityMismatch, "key %q may not sign for %s", id, subject)
	}
	material := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		return root.NewExpiringKey(k.verifier, time.Time{}, time.Time{}), nil
	})
	verifier, err := verify.NewVerifier(material, verify.WithNoObserverTimestamps())
	if err != nil {
		return failf(SignerPolicyMalformed, "%v", err)
	}
	if _, err := verifier.Verify(b, verify.NewPolicy(verify.WithArtifact(bytes.NewReader(signed)), verify.WithKey())); err != nil {
		return failf(SignatureVerifyFailed, "a signature is not valid")
	}
	return nil
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// glob returns the regular expression of a pattern in which * matches any text.
func glob(pattern string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
}

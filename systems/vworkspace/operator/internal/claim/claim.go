// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jcs "github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
	"github.com/go-jose/go-jose/v4"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
)

// MaxLength is that of a claim.
const MaxLength = 4096

// claimType is the type of a claim: a signature that was made for another purpose is none.
const claimType = "vws-approval+jwt"

// Claim is an approval.
type Claim struct {
	Cluster string `json:"aud"`
	Subject string `json:"sub"` // KIND/NAMESPACE/NAME
	UID     string `json:"uid"`
	Digest  string `json:"digest"`
	By      string `json:"by"`
	At      int64  `json:"iat"`
	Expires int64  `json:"exp"`
	ID      string `json:"jti"`
	KeyID   string `json:"-"` // of the header
}

// Errors of Verify.
var (
	ErrMissing   = errors.New("the claim is missing")
	ErrMalformed = errors.New("the claim is malformed")
	ErrNoKey     = errors.New("no key for approval claims is configured")
	ErrUnknown   = errors.New("the key of the claim is not known")
	ErrSignature = errors.New("the signature of the claim is not valid")
	ErrOther     = errors.New("the claim approves something else")
	ErrChanged   = errors.New("the claim approves something else: what will be done has changed since")
	ErrExpired   = errors.New("the claim has expired")
	ErrFuture    = errors.New("the claim is not valid yet")
)

// skew is how far the clocks of issuer and operator may be apart.
const skew = time.Minute

// subject returns the name of an object in a claim.
func (o Object) subject() string { return o.Kind + "/" + o.Namespace + "/" + o.Name }

// Issue signs a claim for a subject by a private key.
func Issue(key any, keyID, by string, s Subject, at, expires time.Time) (string, error) {
	alg, ok := algorithm(key)
	switch {
	case !ok:
		return "", errKey
	case keyID == "":
		return "", errors.New("a claim names its key")
	case !expires.After(at):
		return "", errors.New("a claim expires after it was issued")
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithType(claimType).WithHeader("kid",
		keyID))
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(Claim{Cluster: s.Cluster, Subject: s.subject(), UID: s.UID, Digest: s.Digest, By: by, At: at.Unix(),
		Expires: expires.Unix(), ID: rand.Text()})
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(data)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// Verify checks a claim for a subject. It returns the claim, whose Expires is when it stops being valid.
func Verify(keys Keys, text string, s Subject, now time.Time) (Claim, error) {
	if text == "" {
		return Claim{}, ErrMissing
	}
	signed, keyID, err := parse(text)
	if err != nil {
		return Claim{}, err
	}
	key, known := keys[keyID]
	alg, _ := algorithm(key)
	switch {
	case len(keys) == 0:
		return Claim{}, ErrNoKey
	case !known:
		return Claim{}, ErrUnknown
	case alg != jose.SignatureAlgorithm(signed.Signatures[0].Protected.Algorithm):
		return Claim{}, ErrSignature
	}
	data, err := signed.Verify(key)
	if err != nil {
		return Claim{}, ErrSignature
	}
	c, err := decode(data, keyID)
	switch {
	case err != nil:
		return Claim{}, err
	case c.Cluster != s.Cluster || c.Subject != s.subject() || c.UID != s.UID || s.UID == "":
		return Claim{}, ErrOther
	case c.Digest != s.Digest || s.Digest == "":
		return Claim{}, ErrChanged
	case now.Unix() >= c.Expires:
		return Claim{}, ErrExpired
	case time.Unix(c.At, 0).After(now.Add(skew)):
		return Claim{}, ErrFuture
	}
	return c, nil
}

func parse(text string) (signed *jose.JSONWebSignature, keyID string, err error) {
	if len(text) > MaxLength {
		return nil, "", ErrMalformed
	}
	signed, err = jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256})
	if err != nil || len(signed.Signatures) != 1 {
		return nil, "", ErrMalformed
	}
	header := signed.Signatures[0].Protected
	if header.KeyID == "" || header.ExtraHeaders[jose.HeaderType] != claimType || header.JSONWebKey != nil {
		return nil, "", ErrMalformed
	}
	return signed, header.KeyID, nil
}

func decode(data []byte, keyID string) (Claim, error) {
	var c Claim
	if err := json.Unmarshal(data, &c); err != nil {
		return Claim{}, ErrMalformed
	}
	c.KeyID = keyID
	return c, nil
}

// Operation returns the subject of an approval of an operation: its whole spec besides the approvals, and the objects that the spec refers
// to.
func Operation(cluster string, o *opsapi.Operation, resolved []approval.Reference) (Subject, error) {
	spec := o.Spec.DeepCopy()
	spec.Approvals = opsapi.Approvals{}
	return Approves(Object{Cluster: cluster, Kind: "Operation", Namespace: o.Namespace, Name: o.Name, UID: string(o.UID)}, spec, resolved)
}

// Instance returns the subject of an approval of an application: everything that is applied for it. Readiness checks change nothing and are
// left out; of values in a Secret or ConfigMap the reference counts, for Flux reads them by itself.
func Instance(cluster string, o *appsapi.ApplicationInstance) (Subject, error) {
	spec := o.Spec.DeepCopy()
	spec.Probes = nil
	return Approves(Object{Cluster: cluster, Kind: "ApplicationInstance", Namespace: o.Namespace, Name: o.Name, UID: string(o.UID)}, spec, nil)
}

// Object identifies the object that is approved.
type Object struct {
	Cluster   string `json:"cluster"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Plan is everything that a digest covers.
type Plan struct {
	Version string `json:"version"` // of this form: "vws2"
	Object
	Spec     any                  `json:"spec"` // without the approval itself
	Resolved []approval.Reference `json:"resolved"`
}

// Subject is the one thing that a claim approves.
type Subject struct {
	Object
	Digest string
}

// Approves returns the subject of an approval of an object, and the digest of what will be done.
func Approves(o Object, spec any, resolved []approval.Reference) (Subject, error) {
	if resolved == nil {
		resolved = []approval.Reference{}
	}
	digest, err := Digest(Plan{Version: "vws2", Object: o, Spec: spec, Resolved: resolved})
	return Subject{o, digest}, err
}

// Digest returns "sha256:" and the SHA-256 of a value as JSON by RFC 8785, in hexadecimal, or an [ErrInexact].
func Digest(value any) (string, error) {
	data, err := json.Marshal(value)
	if err == nil {
		err = Exact(data)
	}
	if err == nil {
		data, err = jcs.Transform(data)
	}
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

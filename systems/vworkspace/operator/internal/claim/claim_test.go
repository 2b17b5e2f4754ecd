// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
)

var (
	now          = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	nightly      = Object{Cluster: "edge-1", Kind: "Operation", Namespace: "team", Name: "nightly", UID: "uid-1"}
	public, ada  = pair()
	publicB, bob = pair()
)

func pair() (ed25519.PublicKey, ed25519.PrivateKey) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return public, private
}

// subject returns what is approved, after a change of it.
func subject(t testing.TB, spec any, change func(*Object)) Subject {
	t.Helper()
	o := nightly
	if change != nil {
		change(&o)
	}
	s, err := Approves(o, spec, []approval.Reference{{Kind: "ApplicationInstance", Name: "shop", UID: "uid-2"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func issue(t testing.TB, key any, keyID string, s Subject, at, until time.Time) string {
	t.Helper()
	text, err := Issue(key, keyID, "ada", s, at, until)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sign signs any payload with any header.
func sign(t testing.TB, alg jose.SignatureAlgorithm, key any, typ, keyID, payload string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if typ != "" {
		options.WithType(jose.ContentType(typ))
	}
	if keyID != "" {
		options.WithHeader("kid", keyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestVerify: a claim counts for one object, one content, one cluster and one time, by a key that is known; everything else has its own
// error.
func TestVerify(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	spec := map[string]any{"type": "RunCommand", "image": "busybox"}
	s, end := subject(t, spec, nil), now.Add(time.Hour)
	keys := Keys{"ada-1": public, "bob-1": publicB, "curve": &curve.PublicKey}
	good := issue(t, ada, "ada-1", s, now, end)
	parts := strings.Split(good, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	evil := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(payload), `"by":"ada"`, `"by":"eve"`, 1)))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"ada-1","typ":"` + claimType + `"}`))
	secret := []byte(strings.Repeat("s", 32))
	tests := map[string]struct {
		keys  Keys
		text  string
		about Subject
		at    time.Time
		want  error
	}{
		"valid":                          {keys, good, s, now, nil},
		"valid by ES256":                 {keys, issue(t, curve, "curve", s, now, end), s, now, nil},
		"valid while keys are rotated":   {Keys{"ada-1": public, "ada-2": publicB}, good, s, now, nil},
		"the last second":                {keys, good, s, end.Add(-time.Second), nil},
		"within the skew":                {keys, issue(t, ada, "ada-1", s, now.Add(30*time.Second), end), s, now, nil},
		"missing":                        {keys, "", s, now, ErrMissing},
		"no key":                         {nil, good, s, now, ErrNoKey},
		"the key is rotated away":        {Keys{"ada-2": publicB}, good, s, now, ErrUnknown},
		"a key of another name":          {keys, issue(t, bob, "ada-1", s, now, end), s, now, ErrSignature},
		"another algorithm than the key": {keys, issue(t, curve, "ada-1", s, now, end), s, now, ErrSignature},
		"another payload":                {keys, parts[0] + "." + evil + "." + parts[2], s, now, ErrSignature},
		"no signature":                   {keys, none + "." + parts[1] + ".", s, now, ErrMalformed},
		"symmetric":                      {keys, sign(t, jose.HS256, secret, claimType, "ada-1", string(payload)), s, now, ErrMalformed},
		"of another type":                {keys, sign(t, jose.EdDSA, ada, "JWT", "ada-1", string(payload)), s, now, ErrMalformed},
		"without a key id":               {keys, sign(t, jose.EdDSA, ada, claimType, "", string(payload)), s, now, ErrMalformed},
		"signed, and not JSON":           {keys, sign(t, jose.EdDSA, ada, claimType, "ada-1", "x"), s, now, ErrMalformed},
		"of the former form":             {keys, "vws1.e30.00", s, now, ErrMalformed},
		"too long":                       {keys, good + strings.Repeat("a", MaxLength), s, now, ErrMalformed},
		"another operation":              {keys, good, subject(t, spec, func(o *Object) { o.Name = "weekly" }), now, ErrOther},
		"another namespace":              {keys, good, subject(t, spec, func(o *Object) { o.Namespace = "blue" }), now, ErrOther},
		"another kind":                   {keys, good, subject(t, spec, func(o *Object) { o.Kind = "ApplicationInstance" }), now, ErrOther},
		"another cluster":                {keys, good, subject(t, spec, func(o *Object) { o.Cluster = "edge-2" }), now, ErrOther},
		"deleted and created again":      {keys, good, subject(t, spec, func(o *Object) { o.UID = "uid-9" }), now, ErrOther},
		"not created yet": {keys, issue(t, ada, "ada-1", subject(t, spec, func(o *Object) { o.UID = "" }), now, end),
			subject(t, spec, func(o *Object) { o.UID = "" }), now, ErrOther},
		"edited":                    {keys, good, subject(t, map[string]any{"type": "RunCommand", "image": "evil"}, nil), now, ErrChanged},
		"expired":                   {keys, good, s, end, ErrExpired},
		"issued in the future":      {keys, issue(t, ada, "ada-1", s, now.Add(time.Hour), now.Add(2*time.Hour)), s, now, ErrFuture},
		"the signature comes first": {keys, issue(t, bob, "ada-1", s, now, end), s, end, ErrSignature},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Verify(test.keys, test.text, test.about, test.at)
			if !errors.Is(err, test.want) || test.want == nil && (c.By != "ada" || c.ID == "" || c.KeyID == "") {
				t.Errorf("%+v, %v, want %v", c, err, test.want)
			}
		})
	}
}

// TestDigest: the digest depends on every part, and not on the order of keys or on the spelling of text.
func TestDigest(t *testing.T) {
	base := subject(t, map[string]any{"a": "<&>", "b": 1}, nil)
	if again := subject(t, struct {
		B int    `json:"b"`
		A string `json:"a"`
	}{1, "<&>"}, nil); again != base {
		t.Errorf("the same content has digests %s and %s", base.Digest, again.Digest)
	}
	seen := map[string]bool{base.Digest: true}
	o := nightly
	for name, change := range map[string]func() (Subject, error){
		"spec": func() (Subject, error) { return Approves(o, map[string]any{"a": "<&>", "b": 2}, nil) },
		"resolved": func() (Subject, error) {
			return Approves(o, map[string]any{"a": "<&>", "b": 1}, []approval.Reference{{Kind: "WorkflowTemplate", Digest: "x"}})
		},
		"cluster": func() (Subject, error) {
			return Approves(Object{Cluster: "b", Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID}, map[string]any{"a": "<&>", "b": 1},
				nil)
		},
	} {
		s, err := change()
		if err != nil || seen[s.Digest] {
			t.Errorf("%s: digest %s, %v", name, s.Digest, err)
		}
		seen[s.Digest] = true
	}
}

// TestParseKeys: only public keys of the two algorithms are keys.
func TestParseKeys(t *testing.T) {
	text := func(kind string, data []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data})
	}
	pkix := func(key any) []byte {
		data, err := x509.MarshalPKIXPublicKey(key)
		return text("PUBLIC KEY", data, err)
	}
	pkcs8 := func(key any) []byte {
		data, err := x509.MarshalPKCS8PrivateKey(key)
		return text("PRIVATE KEY", data, err)
	}
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := ParseKeys(map[string][]byte{"good": pkix(public), "private": pkcs8(ada), "rsa": pkix(&big.PublicKey),
		"p384": pkix(&p384.PublicKey), "symmetric": []byte(strings.Repeat("k", 32)),
		"empty": nil, "broken": text("PUBLIC KEY", []byte("x"), nil)})
	if len(keys) != 1 || keys["good"] == nil {
		t.Errorf("keys %v", keys)
	}
	if key, err := ParsePrivate(pkcs8(ada)); err != nil || !ada.Equal(key) {
		t.Errorf("private key: %v", err)
	}
	for _, bad := range [][]byte{nil, pkix(public), text("PRIVATE KEY", []byte("x"), nil)} {
		if _, err := ParsePrivate(bad); err == nil {
			t.Errorf("%q is a private key", bad)
		}
	}
}

func FuzzVerify(f *testing.F) {
	s := subject(f, nil, nil)
	f.Add(issue(f, ada, "ada-1", s, now, now.Add(time.Hour)))
	f.Add("vws1..")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Verify(Keys{"ada-1": public}, text, s, now)
		switch {
		case err == nil && (c.Digest != s.Digest || c.Expires <= now.Unix()):
			t.Errorf("%+v was accepted", c)
		case err != nil && len(text) > 20 && strings.Contains(err.Error(), text[:20]):
			t.Errorf("the error repeats the claim: %v", err)
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Limits of a claim.
const (
	MaxLength    = 4096
	MinKeyLength = 32

	prefix = "vws1."
)

// Claim is an approval.
type Claim struct {
	Version   int    `json:"v"`
	Namespace string `json:"rid"`
	Name      string `json:"op"`
	By        string `json:"by"`
	At        int64  `json:"at"`
	Expires   int64  `json:"exp"`
}

// Errors of Verify.
var (
	ErrMissing   = errors.New("the claim is missing")
	ErrMalformed = errors.New("the claim is malformed")
	ErrNoKey     = errors.New("no key for approval claims is configured")
	ErrSignature = errors.New("the signature of the claim is not valid")
	ErrOther     = errors.New("the claim approves something else")
	ErrExpired   = errors.New("the claim has expired")
	ErrFuture    = errors.New("the claim is not valid yet")
)

// skew is how far the clocks of issuer and operator may be apart.
const skew = time.Minute

// Issue signs a claim.
func Issue(key []byte, c Claim) (string, error) {
	if len(key) < MinKeyLength {
		return "", ErrNoKey
	}
	c.Version = 1
	data, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	head := prefix + base64.RawURLEncoding.EncodeToString(data)
	return head + "." + hex.EncodeToString(sign(key, head)), nil
}

// Verify checks a claim for an object. It returns the claim, whose Expires is when it stops being valid.
func Verify(keys [][]byte, text, namespace, name string, now time.Time) (Claim, error) {
	head, signature, err := split(text)
	if err != nil {
		return Claim{}, err
	}
	if err := signed(keys, head, signature); err != nil {
		return Claim{}, err
	}
	c, err := decode(head)
	switch {
	case err != nil:
		return Claim{}, err
	case c.Namespace != namespace || c.Name != name:
		return Claim{}, ErrOther
	case now.Unix() >= c.Expires:
		return Claim{}, ErrExpired
	case time.Unix(c.At, 0).After(now.Add(skew)):
		return Claim{}, ErrFuture
	}
	return c, nil
}

func split(text string) (head string, signature []byte, err error) {
	if text == "" {
		return "", nil, ErrMissing
	}
	dot := strings.LastIndexByte(text, '.')
	if len(text) > MaxLength || dot < len(prefix) || !strings.HasPrefix(text, prefix) {
		return "", nil, ErrMalformed
	}
	signature, err = hex.DecodeString(text[dot+1:])
	if err != nil || len(signature) != sha256.Size {
		return "", nil, ErrMalformed
	}
	return text[:dot], signature, nil
}

func signed(keys [][]byte, head string, signature []byte) error {
	known := false
	for _, key := range keys {
		if len(key) < MinKeyLength {
			continue
		}
		known = true
		if hmac.Equal(sign(key, head), signature) {
			return nil
		}
	}
	if !known {
		return ErrNoKey
	}
	return ErrSignature
}

func decode(head string) (Claim, error) {
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(head, prefix))
	if err != nil {
		return Claim{}, ErrMalformed
	}
	var c Claim
	if err := json.Unmarshal(data, &c); err != nil || c.Version != 1 {
		return Claim{}, ErrMalformed
	}
	return c, nil
}

func sign(key []byte, head string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(head))
	return mac.Sum(nil)
}

// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// Keys are the public keys of claims by their ids.
type Keys map[string]any

// ParseKeys reads public keys: PEM of type PUBLIC KEY, Ed25519 or ECDSA with P-256. Other content is left out.
func ParseKeys(data map[string][]byte) Keys {
	keys := Keys{}
	for id, text := range data {
		if key, err := parsePublic(text); err == nil {
			keys[id] = key
		}
	}
	return keys
}

var errKey = errors.New("the key is not Ed25519 or ECDSA with P-256")

// parsePublic reads a public key.
func parsePublic(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("a public key is PEM of type PUBLIC KEY")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse the public key: %w", err)
	}
	if _, ok := algorithm(key); !ok {
		return nil, errKey
	}
	return key, nil
}

// ParsePrivate reads a private key: PEM of type PRIVATE KEY (PKCS #8).
func ParsePrivate(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("a private key is PEM of type PRIVATE KEY (PKCS #8)")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse the private key: %w", err)
	}
	return key, nil
}

// Generate returns a new private key (Ed25519) and its public key, as PEM.
func Generate() (private, public []byte, err error) {
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, nil, err
	}
	data, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	shown, err := x509.MarshalPKIXPublicKey(pub)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: data}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: shown}),
		err
}

// algorithm returns the only algorithm of a key.
func algorithm(key any) (jose.SignatureAlgorithm, bool) {
	switch key := key.(type) {
	case ed25519.PublicKey, ed25519.PrivateKey:
		return jose.EdDSA, true
	case *ecdsa.PublicKey:
		return jose.ES256, key.Curve == elliptic.P256()
	case *ecdsa.PrivateKey:
		return jose.ES256, key.Curve == elliptic.P256()
	}
	return "", false
}

// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	jcs "github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
	"github.com/tristate/tristate/operators/vworkspace/api/approval"
)

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

// Digest returns "sha256:" and the SHA-256 of a value as JSON by RFC 8785, in hexadecimal.
func Digest(value any) (string, error) {
	data, err := json.Marshal(value)
	if err == nil {
		data, err = jcs.Transform(data)
	}
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

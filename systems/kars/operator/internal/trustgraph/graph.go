// SPDX-License-Identifier: Apache-2.0

package trustgraph

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
)

// Graph is a projection: the valid part of a spec at a time.
type Graph struct {
	SchemaVersion int               `json:"schemaVersion"`
	Vertices      []api.TrustVertex `json:"vertices"`
	Edges         []api.TrustEdge   `json:"edges"`

	Dropped []string  `json:"-"` // why vertices and edges were dropped, one line each
	Failing []Failing `json:"-"` // edges that were dropped
	Invalid int32     `json:"-"` // edges dropped
	Expires time.Time `json:"-"` // when the next edge expires; zero: never
}

// Failing is an edge that was dropped.
type Failing struct{ ID, Why string }

// edgeID identifies an edge by its place and its ends: the schema gives it no name.
func edgeID(i int, e api.TrustEdge) string { return fmt.Sprintf("edges[%d] %s->%s", i, e.From, e.To) }

// Project verifies the vertices and edges of a spec. An edge is signed by the vertex that it comes from, over [Payload]; one that touches a
// dropped vertex is dropped too, and one past its notAfter.
func Project(spec api.TrustGraphSpec, now time.Time) Graph {
	g := Graph{SchemaVersion: 1, Vertices: []api.TrustVertex{}, Edges: []api.TrustEdge{}}
	keys := map[string]ed25519.PublicKey{}
	for i, v := range spec.Vertices {
		key, err := base64.RawURLEncoding.DecodeString(v.PublicKeyB64u)
		_, twice := keys[v.ID]
		switch {
		case v.Alg != "" && v.Alg != "EdDSA":
			g.drop("vertices[%d]: alg is not EdDSA", i)
		case err != nil || len(key) != ed25519.PublicKeySize:
			g.drop("vertices[%d]: the key is not an Ed25519 public key", i)
		case twice:
			g.drop("vertices[%d]: the id is there twice", i)
		default:
			keys[v.ID] = key
			g.Vertices = append(g.Vertices, v)
		}
	}
	for i, e := range spec.Edges {
		if why := reject(keys, e, now); why != "" {
			g.drop("edges[%d]: %s", i, why)
			g.Failing = append(g.Failing, Failing{edgeID(i, e), why})
			g.Invalid++
			continue
		}
		g.Edges = append(g.Edges, e)
		if e.NotAfter != nil {
			if end := time.Unix(*e.NotAfter+1, 0); g.Expires.IsZero() || end.Before(g.Expires) {
				g.Expires = end
			}
		}
	}
	return g
}

// reject returns why an edge is dropped; empty: it is valid. The order is that of the reference.
func reject(keys map[string]ed25519.PublicKey, e api.TrustEdge, now time.Time) string {
	from, known := keys[e.From]
	if !known {
		return "from is unknown"
	}
	if _, known := keys[e.To]; !known {
		return "to is unknown"
	}
	if e.Score < 0 || e.Score > 1000 {
		return "the score is not between 0 and 1000"
	}
	if e.NotAfter != nil && e.IssuedAt > *e.NotAfter {
		return "issuedAt is after notAfter"
	}
	signature, err := base64.RawURLEncoding.DecodeString(e.Signature)
	switch {
	case err != nil:
		return "the signature is not base64url"
	case len(signature) != ed25519.SignatureSize:
		return "the signature has not 64 bytes"
	case !ed25519.Verify(from, Payload(e), signature):
		return "the signature does not match"
	case e.NotAfter != nil && now.Unix() > *e.NotAfter:
		return "it has expired"
	}
	return ""
}

// Payload returns the bytes that the signature of an edge is over: lines of ASCII, each ended by a newline.
func Payload(e api.TrustEdge) []byte {
	end := ""
	if e.NotAfter != nil {
		end = strconv.FormatInt(*e.NotAfter, 10)
	}
	return fmt.Appendf(nil, "trustgraph.v1\n%s\n%s\n%d\n%d\n%s\n", e.From, e.To, e.Score, e.IssuedAt, end)
}

func (g *Graph) drop(format string, args ...any) {
	g.Dropped = append(g.Dropped, fmt.Sprintf(format, args...))
}

// JSON returns the published form.
func (g Graph) JSON() string {
	out, err := json.Marshal(g)
	if err != nil { // strings and numbers only
		panic("trustgraph: projection cannot be encoded: " + err.Error())
	}
	return string(out)
}

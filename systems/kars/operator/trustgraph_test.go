// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/trustgraph"
)

// TestTrustEdges: an edge that is not valid is dropped with its reason, and the others are not.
func TestTrustEdges(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	now := time.Unix(5000, 0)
	edge := func(change func(*api.TrustEdge)) api.TrustEdge {
		end := int64(6000)
		e := api.TrustEdge{From: "a", To: "b", Score: 500, IssuedAt: 1000, NotAfter: &end}
		change(&e)
		e.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, trustgraph.Payload(e)))
		return e
	}
	past, before := int64(4000), int64(500)
	tests := map[string]struct {
		edge api.TrustEdge
		want []string
	}{
		"valid":           {edge(func(*api.TrustEdge) {}), nil},
		"no end":          {edge(func(e *api.TrustEdge) { e.NotAfter = nil }), nil},
		"unknown from":    {edge(func(e *api.TrustEdge) { e.From = "x" }), []string{"edges[0]: from is unknown"}},
		"unknown to":      {edge(func(e *api.TrustEdge) { e.To = "x" }), []string{"edges[0]: to is unknown"}},
		"score":           {edge(func(e *api.TrustEdge) { e.Score = 1001 }), []string{"edges[0]: the score is not between 0 and 1000"}},
		"ends too soon":   {edge(func(e *api.TrustEdge) { e.NotAfter = &before }), []string{"edges[0]: issuedAt is after notAfter"}},
		"expired":         {edge(func(e *api.TrustEdge) { e.NotAfter = &past }), []string{"edges[0]: it has expired"}},
		"no base64":       {api.TrustEdge{From: "a", To: "b", Signature: "!"}, []string{"edges[0]: the signature is not base64url"}},
		"short signature": {api.TrustEdge{From: "a", To: "b", Signature: "AAAA"}, []string{"edges[0]: the signature has not 64 bytes"}},
		"forged": {func() api.TrustEdge { e := edge(func(*api.TrustEdge) {}); e.Score = 999; return e }(),
			[]string{"edges[0]: the signature does not match"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			vertices := []api.TrustVertex{{ID: "a", PublicKeyB64u: public}, {ID: "b", PublicKeyB64u: public}}
			g := trustgraph.Project(api.TrustGraphSpec{Vertices: vertices, Edges: []api.TrustEdge{test.edge}}, now)
			if diff := cmp.Diff(test.want, g.Dropped); diff != "" {
				t.Errorf("dropped: -want +got\n%s", diff)
			}
			if want := int32(len(test.want)); g.Invalid != want || len(g.Edges) != 1-int(want) {
				t.Errorf("%d edges, %d invalid", len(g.Edges), g.Invalid)
			}
		})
	}
}

// TestTrustGraph: what the conditions say of a graph.
func TestTrustGraph(t *testing.T) {
	valid := trustgraph.Graph{Vertices: make([]api.TrustVertex, 2), Invalid: 3}
	tests := map[string]struct {
		facts trustgraph.Facts
		want  []string
	}{
		"no valid vertex": {trustgraph.Facts{}, []string{"Ready=False SpecInvalid", "Progressing=False Failed", "Degraded=True SpecInvalid"}},
		"not written": {trustgraph.Facts{Graph: valid, WriteError: errors.New("refused")},
			[]string{"Ready=False Failed", "Progressing=False Failed", "Degraded=True Failed"}},
		"dropped edges do not matter": {trustgraph.Facts{Graph: valid}, []string{"Ready=True Reconciled", "Progressing=False Reconciled",
			"Degraded=False Reconciled"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := trustgraph.BeginList(1, nil, time.Unix(0, 0))
			trustgraph.Judge(p, test.facts)
			if diff := cmp.Diff(test.want, cellsOf(p.Commit())); diff != "" {
				t.Errorf("conditions: -want +got\n%s", diff)
			}
		})
	}
}

func cellsOf(r conditions.Result) (out []string) {
	for _, c := range r.Conditions() {
		out = append(out, c.Type+"="+string(c.Status)+" "+c.Reason)
	}
	return out
}

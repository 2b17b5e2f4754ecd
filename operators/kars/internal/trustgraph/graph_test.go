// SPDX-License-Identifier: Apache-2.0

package trustgraph

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
)

func TestProject(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	now := time.Unix(5000, 0)
	edge := func(change func(*api.TrustEdge)) api.TrustEdge {
		end := int64(6000)
		e := api.TrustEdge{From: "a", To: "b", Score: 500, IssuedAt: 1000, NotAfter: &end}
		change(&e)
		e.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, Payload(e)))
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
			g := Project(api.TrustGraphSpec{Vertices: []api.TrustVertex{{ID: "a", PublicKeyB64u: public}, {ID: "b", PublicKeyB64u: public}},
				Edges: []api.TrustEdge{test.edge}}, now)
			if diff := cmp.Diff(test.want, g.Dropped); diff != "" {
				t.Errorf("dropped: -want +got\n%s", diff)
			}
			if want := int32(len(test.want)); g.Invalid != want || len(g.Edges) != 1-int(want) {
				t.Errorf("%d edges, %d invalid", len(g.Edges), g.Invalid)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	valid := Graph{Vertices: make([]api.TrustVertex, 2), Invalid: 3}
	tests := map[string]struct {
		facts Facts
		want  []string
	}{
		"no valid vertex": {Facts{}, []string{"Ready=False SpecInvalid", "Progressing=False Failed", "Degraded=True SpecInvalid"}},
		"not written": {Facts{Graph: valid, WriteError: errors.New("refused")},
			[]string{"Ready=False Failed", "Progressing=False Failed", "Degraded=True Failed"}},
		"dropped edges do not matter": {Facts{Graph: valid}, []string{"Ready=True Reconciled", "Progressing=False Reconciled",
			"Degraded=False Reconciled"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := BeginList(1, nil, time.Unix(0, 0))
			Judge(p, test.facts)
			if diff := cmp.Diff(test.want, cells(p.Commit())); diff != "" {
				t.Errorf("conditions: -want +got\n%s", diff)
			}
		})
	}
}

func cells(r conditions.Result) (out []string) {
	for _, c := range r.Conditions() {
		out = append(out, c.Type+"="+string(c.Status)+" "+c.Reason)
	}
	return out
}

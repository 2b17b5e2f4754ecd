// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"testing"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// judged are objects by the kind of rule that decides.
func judged(t testing.TB) map[string]map[string]any {
	t.Helper()
	conditions := make([]any, 0, 10)
	for _, name := range []string{"Ready", "DatabaseReady", "NetworkReady", "SecretSynced", "CertificateIssued", "StorageBound", "ConfigValid",
		"Synced", "Available", "Accepted"} {
		conditions = append(conditions, map[string]any{"type": name, "status": "True", "reason": "AsExpected",
			"lastTransitionTime": "2026-01-02T03:04:05Z"})
	}
	other := map[string]any{"apiVersion": "example.com/v1", "kind": "Database", "status": map[string]any{"conditions": conditions}}
	word := map[string]any{"apiVersion": "acid.zalan.do/v1", "kind": "postgresql",
		"status": map[string]any{"PostgresClusterStatus": "Running"}}
	condition := map[string]any{"apiVersion": "rabbitmq.com/v1beta1", "kind": "Queue", "status": map[string]any{"conditions": conditions}}
	return map[string]map[string]any{"conventions": other, "word": word, "condition": condition,
		"expression": {"apiVersion": "argoproj.io/v1alpha1", "kind": "CronWorkflow", "status": map[string]any{"conditions": conditions}}}
}

// TestAllocations: with all packs loaded a judgement of a healthy object allocates at most twelve times, except for expressions.
func TestAllocations(t *testing.T) {
	own, packs := shipped(t)
	e := pack.Engine(own, packs)
	for name, object := range judged(t) {
		var v verdict.Verdict
		if got := testing.AllocsPerRun(100, func() { v = e.Judge(object, now) }); got > 12 && name != "expression" {
			t.Errorf("%s: want at most 12 allocations, got %v", name, got)
		}
		if v.Status != verdict.Current {
			t.Errorf("%s: want Current, got %s by %s", name, v.Status, v.Rule)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	own, packs := shipped(b)
	e := pack.Engine(own, packs)
	for name, object := range judged(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Judge(object, now)
			}
		})
	}
}

// BenchmarkEngine measures the preparation of an engine of compiled packs.
func BenchmarkEngine(b *testing.B) {
	own, packs := shipped(b)
	b.ReportAllocs()
	for b.Loop() {
		pack.Engine(own, packs)
	}
}

// BenchmarkLoad measures reading and compiling the shipped packs, once a process.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.LoadFS(catalogs.Packs, "packs"); err != nil {
			b.Fatal(err)
		}
	}
}

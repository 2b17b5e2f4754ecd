// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestTroubled: --since shows what the history saw unhealthy within that time, also where it has recovered, and nothing that was so before
// or all along.
func TestTroubled(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	dir := t.TempDir()
	store := history.Open(dir, history.Options{Now: func() time.Time { return now }})
	pod := func(name string) relation.ID {
		return relation.ID{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: "shop", Name: name}
	}
	change := func(ago time.Duration, source history.Source, name, was, is string) {
		store.Append(history.Record{At: now.Add(-ago), Kind: history.Verdict, Source: source, Object: pod(name), Was: was, Is: is})
	}
	change(time.Hour, history.First, "all-along", "Failed", "Failed")
	change(time.Hour, history.Seen, "before", "Current", "Failed")
	change(50*time.Minute, history.Seen, "before", "Failed", "Current")
	change(20*time.Minute, history.Seen, "recovered", "Current", "Failed")
	change(10*time.Minute, history.Seen, "recovered", "Failed", "Current")
	change(5*time.Minute, history.Seen, "flapped", "Current", "Degraded")
	change(4*time.Minute, history.Seen, "flapped", "Degraded", "Current")
	change(3*time.Minute, history.First, "seen-first", "Failed", "Failed")
	change(2*time.Minute, history.Seen, "gone", "Failed", "")
	change(time.Minute, history.Seen, "new", "", "Current")
	store.Close()
	read := history.Open(dir, history.Options{ReadOnly: true, Now: func() time.Time { return now }})
	want := map[relation.ID]bool{pod("recovered"): true, pod("flapped"): true, pod("gone"): true}
	if diff := cmp.Diff(want, troubled(read, now.Add(-15*time.Minute))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	absent := history.Open(t.TempDir()+"/none", history.Options{ReadOnly: true, Now: func() time.Time { return now }})
	if got := troubled(absent, now.Add(-time.Hour)); len(got) > 0 {
		t.Errorf("without a history: %v", got)
	}
}

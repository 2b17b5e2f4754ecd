// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// BenchmarkMemory reports the heap that a row of a light source takes, and a row with its packed object: 10,000 objects with two
// conditions, a tenth of them unhealthy.
func BenchmarkMemory(b *testing.B) {
	const n = 10_000
	for name, light := range map[string]bool{"light": true, "whole": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				w := newWorld()
				judge := relation.JudgeBy(pack.Default(&catalog.Set{}), &catalog.Set{}, noon)
				for i := range n {
					status := "True"
					if i%10 == 0 {
						status = "False"
					}
					o := widget(fmt.Sprint("ns", i%100), fmt.Sprint("object-with-a-name-", i), status, "Because", noon.Add(time.Duration(-i)*time.Second))
					list := o["status"].(map[string]any)["conditions"].([]any)
					o["status"].(map[string]any)["conditions"] = append(list, map[string]any{"type": "Synced", "status": "True", "reason": "Done",
						"lastTransitionTime": noon.Format(time.RFC3339)})
					object := relation.FromContent(o)
					if !light {
						w.source.Graph.Put(object)
						w.source.roots.Put(object.ID)
						continue
					}
					w.source.put(object, judge(object))
				}
				if w.source.Light = light; !light {
					w.source.round()
				}
				w.source.flush()
				runtime.GC()
				runtime.ReadMemStats(&after)
				if got := w.fleet.Window(Query{}, "name", 0, 1).Total; got != n {
					b.Fatalf("%d rows", got)
				}
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/object")
			}
		})
	}
}

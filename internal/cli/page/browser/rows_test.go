// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// pods writes a dump of pods, one of a hundred of which cannot pull its image.
func pods(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pods.json")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	fmt.Fprint(w, `{"apiVersion":"v1","kind":"List","items":[`)
	for i := range n {
		if i > 0 {
			fmt.Fprint(w, ",\n")
		}
		state, ready := `"running":{"startedAt":"2026-01-02T03:00:00Z"}`, "true"
		if i%100 == 0 {
			state, ready = `"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image registry.example.com/app:v2"}`, "false"
		}
		fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%06d","namespace":"team-%03d","uid":"%d","creationTimestamp":"2026-01-02T03:00:00Z"},"spec":{"nodeName":"node-%d","containers":[{"name":"app","image":"app:v2"}]},`+
			`"status":{"phase":"Running","conditions":[{"type":"Ready","status":%q,"lastTransitionTime":"2026-01-02T03:00:00Z"}],"containerStatuses":[{"name":"app","ready":%s,"restartCount":0,"image":"app:v2","imageID":"","state":{%s}}]}}`,
			i, i%200, i, i%300, strings.ToUpper(ready[:1])+ready[1:], ready, state)
	}
	fmt.Fprint(w, "]}")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRows: the document holds the visible rows of a long list and no more, and the whole list can be reached. TRISTATE_ROWS is another
// number of rows, for the measurement in docs/page.md.
func TestRows(t *testing.T) {
	n := 3000
	if text := os.Getenv("TRISTATE_ROWS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	page := serve(t, pods(t, n))
	b := open(t, with(t, page, "view=objects&sort=name"), 1440, 900)
	last := fmt.Sprintf("pod-%06d", n-1)
	commas := strconv.Itoa(n/1000) + ",000"
	b.shows(".objects .bar h2", commas+" of "+commas+" objects")
	b.shows(".objects .row", "Pod/pod-000000")
	b.press("G")
	b.shows(".objects .row.selected", "Pod/pod-")
	b.press("gj")
	b.shows(".objects .row", "Pod/pod-000000")
	// The whole list, window by window.
	for i := range 20 {
		b.do(chromedp.Evaluate[chromedp.Void](
			fmt.Sprintf(`document.querySelector(".virtual").scrollTop = document.querySelector(".extent").clientHeight * %d / 20`, i+1)))
		b.until(`document.querySelectorAll(".objects .row.waiting").length === 0 && document.querySelectorAll(".objects .row:not(.head)").length > 20`)
	}
	b.shows(".objects .row", last)
	if drawn := b.number(`document.querySelectorAll(".row").length`); drawn > 90 {
		t.Errorf("%v rows are in the document", drawn)
	}
	if elements := b.number(`document.querySelectorAll("*").length`); elements > 2500 {
		t.Errorf("%v elements are in the document", elements)
	}
	call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	call(b, performance.Enable, performance.EnableParams{})
	heap := 0.0
	for _, m := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "JSHeapUsedSize" {
			heap = m.Value / 1e6
		}
	}
	if heap > 50 {
		t.Errorf("the page holds %.1f MB", heap)
	}
	// Causes: one, with everything that it explains.
	b.do(chromedp.Navigate(strings.Split(page, "?")[0]))
	b.shows(".cause", "Pod/pod-0")
	paint := b.number(`performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	t.Logf("%d rows: heap %.1f MB after a look at the whole list, first paint %.0f ms after the navigation (in a warm browser; other work may run)", n, heap, paint)
	b.quiet()
}

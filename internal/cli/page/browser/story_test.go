// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	machine = "object=/AWSMachine.infrastructure.cluster.x-k8s.io/default/prod-cp-1&tab=history&range=24h"
	// repaired is true once the history of the machine ends healthy after it was broken.
	repaired = `(() => { const spans = [...document.querySelectorAll(".lanes g > .span")].map((g) => g.classList[1]); const bad = spans.indexOf("s-bad"); return bad >= 0 && spans.indexOf("s-ok", bad) > 0; })()`
)

// TestStory: a story that is played is seen live, from the first object to the repair, without a reload.
func TestStory(t *testing.T) {
	page := start(t, "play", "--ui", "--pace", "1s", "cluster-api/ssh-key-missing")
	b := open(t, with(t, page, machine), 1440, 900)
	b.until(repaired)
	b.shows(".transitions", "SSHKeyMissing")
	b.press("2")
	b.shows(".objects .row", "Cluster/prod")
	b.until(`[...document.querySelectorAll(".objects .row:not(.head)")].every((r) => r.innerText.includes("Current"))`)
	b.press("4")
	b.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".ranges a")].find((a) => a.innerText === "24h").click()`))
	b.shows(".change-list", "AWSMachine/prod-cp-1")
	b.shows(".change-list", "better")
	if n := b.number(`performance.getEntriesByType("navigation").length`); n != 1 {
		t.Errorf("%v navigations", n)
	}
	b.quiet()
}

// TestGap: a message of the stream that gets lost is noticed, and everything is read again.
func TestGap(t *testing.T) {
	line, page := between(t, start(t, "play", "--ui", "--pace", "1s", "cluster-api/ssh-key-missing"))
	line.loses("event: change")
	b := open(t, with(t, page, "view=objects&"+machine), 1440, 900)
	b.until(repaired)
	if !line.lost() {
		t.Fatal("no message was lost")
	}
	b.press(escape)
	b.until(`document.querySelectorAll(".objects .row:not(.head)").length > 10 && [...document.querySelectorAll(".objects .row:not(.head)")].every((r) => r.innerText.includes("Current"))`)
}

// TestCut: a cut connection shows, together with what was known before, and is mended without a reload.
func TestCut(t *testing.T) {
	line, page := between(t, start(t, "play", "--ui", "--pace", "10ms", "cluster-api/ssh-key-missing"))
	b := open(t, with(t, page, "view=objects"), 1440, 900)
	b.shows(".objects .row", "Cluster/prod")
	b.do(chromedp.Evaluate[chromedp.Void](`window.same = true`))
	line.set(true)
	b.shows(".staleness", "No answer from the server")
	b.shows(".freshness", "connection lost")
	if rows := b.text(".objects"); !strings.Contains(rows, "Cluster/prod") {
		t.Errorf("what was known is gone:\n%s", rows)
	}
	line.set(false)
	b.until(`!document.querySelector(".staleness") && window.same`)
}

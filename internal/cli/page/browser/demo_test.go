// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var playDemo = flag.Bool("demo", false, "play the demo on a real API server and write its picture, the first of the README")

// TestDemo plays `make demo UI=1` and looks at the page at the worst moment: the key of a machine is missing, so that its cluster is not
// ready.
func TestDemo(t *testing.T) {
	if !*playDemo {
		t.Skip("-demo plays it, for some minutes")
	}
	page := start(t, "demo", "--ui", "--pace", "4s", "--localplane", filepath.Join(root(t), "bin", "localplane"))
	b := open(t, page, 1280, 560, theme("light"))
	broken := false
	for range 5 { // the cluster is provisioned first
		if _, err := chromedp.Run(b.ctx,
			chromedp.Poll[bool](`[...document.querySelectorAll(".cause")].some((e) => e.innerText.includes("Create the key pair"))`,
				chromedp.WithPollingTimeout(most))); err == nil {
			broken = true
			break
		}
	}
	if !broken {
		t.Fatalf("the cluster did not break:\n%s", b.text("body"))
	}
	b.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const cause = [...document.querySelectorAll(".cause")].find((e) => e.innerText.includes("Create the key pair"));
		const namespace = new URL([...cause.querySelectorAll("a")].find((a) => a.innerText.includes("AWSMachine")).href).searchParams.get("object").split("/")[2];
		history.pushState(null, "", "?view=objects&tab=tree&object=" + encodeURIComponent("/Cluster.cluster.x-k8s.io/" + namespace + "/prod"));
		dispatchEvent(new PopStateEvent("popstate"));
	})()`))
	b.shows(".leaf.on-path", "AWSMachine/prod-cp-1")
	b.until(`document.querySelectorAll(".objects .row:not(.head)").length > 3 && !document.querySelector(".waiting")`)
	if err := os.WriteFile(filepath.Join(root(t), "docs", "pictures", "demo.png"), small(t, value(b, chromedp.CaptureScreenshot())),
		0o644); err != nil {
		t.Fatal(err)
	}
}

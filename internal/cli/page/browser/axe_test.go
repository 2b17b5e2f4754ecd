// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// accessible checks the page with axe-core: nothing that it calls serious or critical is left.
func (b *tab) accessible(state string) {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "source", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if _, missing := exec.LookPath("npm"); missing == nil && os.Getenv("TRISTATE_REQUIRE_BROWSER") != "" {
			b.t.Fatal("axe-core is not there: run npm ci in internal/cli/page/source, as make test-ui does: ", err)
		}
		b.t.Logf("%s is not checked by axe-core: run npm ci in internal/cli/page/source", state)
		return
	}
	b.do(chromedp.Evaluate[chromedp.Void](string(source) + "\n;0"))
	found := value(b, func(ctx context.Context, t *chromedp.Target) (string, error) {
		wait, plain := true, true
		out, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{AwaitPromise: &wait, ReturnByValue: &plain,
			Expression: `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations
			.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.impact + " " + v.id + ": " + v.help + "\n" + v.nodes.slice(0, 5).map((n) => "    " + n.html.slice(0, 200) + "\n      " + n.failureSummary.replace(/\n/g, " ")).join("\n")).join("\n"))`})
		if err != nil {
			return "", err
		}
		return string(out.Result.Value), nil
	})
	if found != `""` {
		b.t.Errorf("%s: axe-core finds\n%s", state, found)
	}
}

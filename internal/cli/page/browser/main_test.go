// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// most is how long a test waits for a state before it fails; nothing waits for a time to pass.
const most = 5 * time.Minute

// browser is the context of the one Chromium of all tests; each test has a tab of its own.
var browser context.Context

func chromium() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	binary := chromium()
	if binary == "" {
		fmt.Println("no chromium on the PATH, nor in CHROMIUM: the tests of the page are skipped (Debian: apt-get install chromium)")
		if os.Getenv("TRISTATE_REQUIRE_BROWSER") != "" {
			return 1
		}
		return 0
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(binary), chromedp.NoSandbox,
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true),
		chromedp.Flag("enable-precise-memory-info", true),
		chromedp.Flag("js-flags", "--expose-gc"), chromedp.WSURLReadTimeout(most))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, stop := chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Println("chromium does not start:", err)
		return 1
	}
	browser = ctx
	defer func() {
		if sharedServer.stop != nil {
			sharedServer.stop()
		}
	}()
	return m.Run()
}

// root is the root of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

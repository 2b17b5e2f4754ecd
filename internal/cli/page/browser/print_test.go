// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestPrint: on paper are the causes whole, on white, without what only a screen needs, and nothing is cut off at the right.
func TestPrint(t *testing.T) {
	page := serve(t, shop, capi)
	paper := func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		return err
	}
	for query, selector := range map[string]string{"": ".cause", "view=objects": ".objects .row",
		"object=/Deployment.apps/shop/web": ".details .card"} {
		b := open(t, with(t, page, query), 794, 1123, chromedp.Func(paper)) // A4
		b.shows(selector, "web-2")
		b.until(`[...document.querySelectorAll(".views, .fields, .copyable button, .tabs, .close")].every((e) => getComputedStyle(e).display === "none")`)
		b.until(`getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"`)
		if wide := b.string(`[...document.querySelectorAll("main *, .details *")].filter((e) => e.getClientRects().length && !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join("\n")`); wide != "" {
			t.Errorf("%q: cut off at the right:\n%s", query, wide)
		}
		out := call(b, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
		pdf, err := base64.StdEncoding.DecodeString(string(out.Data))
		if err != nil {
			pdf = []byte(out.Data)
		}
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 5000 {
			t.Errorf("%q: %d bytes are printed", query, len(pdf))
		}
	}
}

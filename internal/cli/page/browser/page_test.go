// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	shop    = "examples/shop/shop.yaml"
	capi    = "systems/cluster-api/samples/prod.yaml"
	hostile = "internal/cli/page/browser/testdata/hostile.yaml"
)

// TestCauses: the first view shows each cause once, worst first, with its remedy and what it explains; it goes from there to the object.
func TestCauses(t *testing.T) {
	page := serve(t, shop, capi)
	b := open(t, page, 1440, 900)
	b.shows(".cause", "AWSMachine/prod-cp-1")
	b.shows(".cause", "Create the key pair in the account")
	b.shows(".cause", "Pod/web-2-c2gtn")
	b.shows(".cause", "correct the name of the image")
	b.shows(".bar h2", "of 27")
	if address := b.string(`location.href`); strings.Contains(address, "token") {
		t.Errorf("the token stays in the address: %s", address)
	}
	b.press("j")
	b.until(`document.querySelector(".cause.selected")`)
	b.press("gjk" + enter)
	b.until(`document.querySelector(".details .sentence")`)
	b.press(escape)
	b.until(`!document.querySelector(".details")`)
	b.quiet()
}

// TestWhy: the details have the causes with path, field and remedy, conditions, and the commands that show the same.
func TestWhy(t *testing.T) {
	page := serve(t, shop, capi)
	b := open(t, with(t, page, "object=/Deployment.apps/shop/web"), 1440, 900)
	b.shows(".sentence", "because of Pod/web-2-c2gtn")
	b.shows(".card", "ImagePullBackOff")
	b.shows(".card .path", "ReplicaSet/web-2")
	b.shows(".card .remedy", "correct the name of the image")
	b.shows(".conditions", "Progressing")
	b.shows(".judge", "builtin/Deployment")
	b.shows(".copyable", "tristate why")
	// A word of the path leads on.
	b.do(chromedp.Click(chromedp.CSS(`.card .path a`)))
	b.shows(".details h1", "ReplicaSet/web-2")
	b.do(chromedp.NavigateBack())
	b.shows(".details h1", "Deployment/web")
	b.quiet()
}

// TestTree: a tree opens on the way to the cause, and the rest is read when it is opened.
func TestTree(t *testing.T) {
	page := serve(t, shop, capi)
	b := open(t, with(t, page, "object=/Cluster.cluster.x-k8s.io/default/prod&tab=tree"), 1440, 900)
	b.shows(".leaf", "AWSMachine/prod-cp-1")
	if text := b.text(".tree"); strings.Contains(text, "Machine/prod-md-0-a-1") {
		t.Errorf("what is healthy is open:\n%s", text)
	}
	b.do(chromedp.Evaluate[chromedp.Void](
		`[...document.querySelectorAll(".leaf")].find((e) => e.innerText.includes("MachineDeployment/prod-md-0")).querySelector("button.fold").click()`))
	b.shows(".leaf", "MachineSet/prod-md-0-a")
	// By keys: the first line folds, and opens again.
	b.press("gg ")
	b.until(`document.querySelectorAll(".leaf").length === 1`)
	b.press(" ")
	b.shows(".leaf", "AWSMachine/prod-cp-1")
	b.quiet()
}

// TestGroup: equal children are one line, which opens.
func TestGroup(t *testing.T) {
	page := serve(t, "internal/cli/page/browser/testdata/replicas.yaml")
	b := open(t, with(t, page, "object=/ReplicaSet.apps/shop/web&tab=tree"), 1440, 900)
	b.shows(".leaf", "6 Pods")
	b.shows(".leaf", "Pod/web-0")
	b.do(chromedp.Evaluate[chromedp.Void](
		`[...document.querySelectorAll(".leaf")].find((e) => e.innerText.includes("6 Pods")).querySelector("button.fold").click()`))
	b.shows(".leaf", "Pod/web-3")
	b.quiet()
}

// TestLink: an address restores view, filter, object and tab; going back restores the state before.
func TestLink(t *testing.T) {
	page := serve(t, shop, capi)
	b := open(t, with(t, page,
		"view=objects&namespace=default&kind=Machine.cluster.x-k8s.io&text=prod-cp&object=/Machine.cluster.x-k8s.io/default/prod-cp-1&tab=tree"),
		1440, 900)
	restored := func() {
		b.shows(".objects .bar h2", "3 of 27")
		b.until(`document.querySelectorAll(".objects .row:not(.head)").length === 3`)
		b.shows(".leaf", "AWSMachine/prod-cp-1")
		b.shows(".chip", "namespace default")
		b.shows(".chip", "kind Machine.cluster.x-k8s.io")
		b.until(`document.querySelector("#text").value === "prod-cp"`)
		b.until(`document.querySelector(".tabs [aria-current]").innerText.startsWith("Tree")`)
	}
	restored()
	b.do(chromedp.Reload())
	restored()
	b.press(escape + escape)
	b.shows(".objects .bar h2", "27 of 27")
	b.do(chromedp.NavigateBack(), chromedp.NavigateBack())
	restored()
	b.quiet()
}

// TestFilter: each part of the filter narrows the list, stands in the address, and can be dropped.
func TestFilter(t *testing.T) {
	page := serve(t, shop, capi)
	b := open(t, with(t, page, "view=objects"), 1440, 900)
	b.shows(".objects .bar h2", "27 of 27")
	b.press("/")
	b.do(chromedp.SendKeys(chromedp.CSS("#text"), "web-2"))
	b.until(`new URLSearchParams(location.search).get("text") === "web-2"`)
	b.until(`document.querySelectorAll(".objects .row:not(.head)").length === 2`)
	b.press(escape + escape)
	b.shows(".objects .bar h2", "27 of 27")
	b.do(chromedp.Click(chromedp.CSS(`.verdicts .v-failed`)))
	b.shows(".objects .bar h2", "6 of 27")
	b.do(chromedp.Click(chromedp.CSS(`.chip`)))
	b.shows(".objects .bar h2", "27 of 27")
	b.press(":")
	b.do(chromedp.SendKeys(chromedp.CSS(".prompt input"), "deploy"+enter))
	b.until(`new URLSearchParams(location.search).get("kind") === "Deployment.apps"`)
	b.shows(".objects .row", "Deployment/web")
	b.do(chromedp.Navigate(with(t, strings.Split(page, "?")[0], "view=objects&text=nothing-is-called-so")))
	b.shows(".nothing", "within the filter")
	b.quiet()
}

// TestKeys: the help lists every key, and a view has a number.
func TestKeys(t *testing.T) {
	page := serve(t, shop)
	b := open(t, page, 1440, 900)
	b.shows(".cause", "Pod/web-2-c2gtn")
	b.press("?")
	b.shows(".help", "filter by text")
	b.press(escape)
	b.until(`!document.querySelector(".help")`)
	for _, step := range [][2]string{{"2", "objects"}, {"4", "changes"}, {"5", "moment"}} {
		b.press(step[0])
		b.until(`new URLSearchParams(location.search).get("view") === ` + quoted(step[1]))
	}
	b.press("1d")
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.quiet()
}

// TestHostile: what a name, a label, a reason or a message says is text, wherever the page shows it.
func TestHostile(t *testing.T) {
	page := serve(t, hostile)
	b := open(t, page, 1440, 900)
	b.shows(".cause", "Widget/hostile")
	pod := url.PathEscape("<img src=x onerror=window.obeyed=1>")
	space := url.PathEscape("<script>window.obeyed=1</script>")
	for _, query := range []string{
		"view=objects", "view=changes", "view=moment",
		"object=" + url.QueryEscape("/Widget.example.com/shop/hostile"),
		"view=objects&tab=tree&object=" + url.QueryEscape("/Widget.example.com/shop/hostile"),
		"view=objects&tab=history&object=" + url.QueryEscape("/Widget.example.com/shop/hostile"),
		"view=objects&object=" + url.QueryEscape("/Pod/"+space+"/"+pod),
		// Parts of the address that people send each other.
		"text=" + url.QueryEscape("<img src=x onerror=window.obeyed=1>") + "&namespace=" + url.QueryEscape("<script>window.obeyed=1</script>"),
		"object=" + url.QueryEscape("javascript:window.obeyed=1") + "&tab=%3Cscript%3E&view=%3Cscript%3E&time=%3Cscript%3E&range=%3Cscript%3E",
		"object=%25&view=moment&time=99:99",
	} {
		b.do(chromedp.Navigate(strings.Split(page, "?")[0] + "?" + query))
		b.until(`document.querySelector(".freshness") && document.querySelector("main").childElementCount > 0`)
		b.until(`!document.querySelector(".waiting")`)
		if n := b.number(`window.obeyed ? 1 : document.querySelectorAll("#page script, #page img, #page b b, #page svg[onload], #page a[href^='javascript:']").length`); n != 0 {
			t.Errorf("%s: a text was obeyed", query)
		}
		if text := b.text("body"); strings.ContainsAny(text, "\u202e\u2066\x1b") {
			t.Errorf("%s: characters that change what is read are shown", query)
		}
	}
	for _, asked := range b.asked() {
		if !strings.HasPrefix(asked, strings.Split(page, "?")[0]) {
			t.Errorf("the page asked %s", asked)
		}
	}
}

// TestSignedOut: without a session the page says what to do, and shows nothing else.
func TestSignedOut(t *testing.T) {
	page := serve(t, shop)
	b := open(t, strings.Split(page, "?")[0], 1440, 900)
	b.shows(".signin", "You are not signed in")
	if text := b.text("body"); strings.Contains(text, "web") {
		t.Errorf("without a session the page shows\n%s", text)
	}
}

// TestAccessible: axe-core finds nothing serious, in any view, dark or light, wide or narrow, and no heading, status or name of a
// condition is broken inside a word.
func TestAccessible(t *testing.T) {
	page := serve(t, shop, capi)
	first := page
	for scheme, width := range map[string]int64{"light": 1280, "dark": 400} {
		b := open(t, first, width, 900, theme(scheme))
		b.shows(".cause", "Pod/web-2-c2gtn")
		b.accessible(scheme + " causes")
		plain := strings.Split(page, "?")[0]
		for _, state := range []struct{ query, selector string }{
			{"view=objects", ".objects .row .verdict"},
			{"view=objects&verdict=Failed&object=/Deployment.apps/shop/web", ".details .card"},
			{"object=/Cluster.cluster.x-k8s.io/default/prod&tab=tree", ".leaf"},
			{"object=/Cluster.cluster.x-k8s.io/default/prod&tab=history&range=168h", ".history .nothing, .history svg"},
			{"view=changes", ".changes table, .changes .nothing"},
			{"view=moment", ".moment .note, .moment .nothing, .moment table"},
		} {
			b.do(chromedp.Navigate(plain + "?" + state.query))
			b.until(`document.querySelector(` + quoted(state.selector) + `)`)
			b.accessible(scheme + " " + state.query)
			if broken := b.string(brokenWords); broken != "" {
				t.Errorf("%s %s: broken inside a word: %s", scheme, state.query, broken)
			}
		}
		b.press("?")
		b.shows(".help", "filter by text")
		b.accessible(scheme + " help")
		b.press(escape)
		b.press(":")
		b.shows(".prompt li", "Deployment.apps")
		b.accessible(scheme + " prompt")
	}
}

// brokenWords returns the words of short cells that are on more than one line.
const brokenWords = `[...document.querySelectorAll(".conditions th, .conditions .c-status b, .change-list th, .transitions th, .verdict .word, .age")]
.flatMap((cell) => [...cell.childNodes]).filter((n) => n.nodeType === 3).flatMap((n) => [...n.data.matchAll(/[^\s]+/g)].filter((m) => {
	const range = document.createRange();
	range.setStart(n, m.index); range.setEnd(n, m.index + m[0].length);
	return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1;
}).map((m) => m[0])).join(" ")`

// TestPictures: the pictures of the README and of docs are what the page shows.
func TestPictures(t *testing.T) {
	both, broken := serve(t, shop, capi), serve(t, capi)
	for name, p := range map[string]struct {
		page                    string
		width, height           int64
		scheme, query, selector string
	}{
		"causes.png":  {both, 1280, 600, "light", "", ".cause"},
		"objects.png": {both, 1280, 640, "dark", "view=objects&object=/Deployment.apps/shop/web", ".details .card"},
		"tree.png":    {broken, 1280, 520, "light", "view=objects&object=/Cluster.cluster.x-k8s.io/default/prod&tab=tree", ".leaf"},
		"narrow.png":  {both, 420, 640, "dark", "", ".cause"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, p.page, p.width, p.height, theme(p.scheme))
			b.shows(".cause", "prod-cp-1")
			b.do(chromedp.Navigate(strings.Split(p.page, "?")[0] + "?" + p.query))
			b.until(`document.querySelector(` + quoted(p.selector) +
				`) && !document.querySelector(".waiting") && document.querySelector(".verdicts a")`)
			b.shows(".freshness", "read once")
			b.picture(name)
			b.quiet()
		})
	}
}

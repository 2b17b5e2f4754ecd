// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestClusters: several clusters are side by side, each with its state, its causes and what of it may not be read; one that does not answer
// hides no other.
func TestClusters(t *testing.T) {
	s := apiServerForTest(t)
	namespace := s.namespace(t)
	lamps := s.lamps(t, namespace)
	s.lamp(t, lamps, "hall", "False", "BulbBroken")
	config := s.kubeconfig(t, map[string]string{"east": "", "west": s.user(t, namespace, "west")})
	page := start(t, "ui", "--kubeconfig", config, "--context", "east", "--context", "west", "--context", "gone", "-n", namespace)
	b := open(t, with(t, page, "view=clusters"), 1440, 900)
	b.until(`document.querySelectorAll(".column").length === 3`)
	column := func(name string) string { return `section[aria-label="cluster ` + name + `"]` }
	b.shows(column("east"), "Lamp/hall")
	b.shows(column("west"), "Lamp/hall")
	b.shows(column("west")+" .unseen-parts", "could not be read")
	b.shows(column("gone")+" .state", "has not answered")
	b.shows(column("gone")+" .tally", "nothing was read")
	if text := b.text(column("gone")); strings.Contains(text, "all 0 objects healthy") {
		t.Errorf("a cluster that does not answer is called healthy:\n%s", text)
	}
	// The same object of two clusters is two rows, and a filter tells them apart.
	b.press("2")
	b.do(chromedp.Navigate(strings.Split(page, "?")[0] + "?view=objects&text=hall"))
	b.until(`document.querySelectorAll(".objects .row:not(.head)").length === 2`)
	b.do(chromedp.Navigate(strings.Split(page, "?")[0] + "?view=objects&text=hall&cluster=east"))
	b.until(`document.querySelectorAll(".objects .row:not(.head)").length === 1`)
	b.accessible("several clusters")
}

// TestForbidden: what a person may not see is not what is not there.
func TestForbidden(t *testing.T) {
	s := apiServerForTest(t)
	mine, theirs, empty := s.namespace(t), s.namespace(t), s.namespace(t)
	s.lamp(t, s.lamps(t, mine), "mine", "False", "BulbBroken")
	s.lamp(t, s.lamps(t, theirs), "secret-lamp", "False", "BulbBroken")
	me, other := s.user(t, mine, "me"), s.user(t, theirs, "other")
	admin := s.kubeconfig(t, map[string]string{"admin": ""})

	// An empty namespace of an administrator.
	b := open(t, with(t, start(t, "ui", "--kubeconfig", admin, "-n", empty, "--context", "admin"), "view=objects&kind=Lamp.page.example.dev"),
		1440, 900)
	b.shows(".objects .nothing", "")
	if text := b.text("body"); strings.Contains(text, "Forbidden") || strings.Contains(text, "may not see") {
		t.Errorf("an empty namespace looks forbidden:\n%s", text)
	}
	// A namespace that the user of the kubeconfig may not list.
	config := s.kubeconfig(t, map[string]string{"me": me})
	b = open(t, with(t, start(t, "ui", "--kubeconfig", config, "-n", theirs, "--context", "me"), "view=objects"), 1440, 900)
	b.shows(".unseen-parts", "could not be read")
	if text := b.text("body"); strings.Contains(text, "secret-lamp") {
		t.Errorf("a namespace that may not be listed shows\n%s", text)
	}

	// A server with the sign-in of the cluster: each user sees their own namespace, and that there is more.
	page := start(t, "serve", "--kubeconfig", admin, "--context", "admin", "--address", "127.0.0.1:0", "--auth", "cluster", "--ui",
		"--history", "none")
	for token, names := range map[string][2]string{me: {"mine", "secret-lamp"}, other: {"secret-lamp", "mine"}} {
		b = open(t, page, 1440, 900)
		b.shows(".signin", "You are not signed in")
		b.do(chromedp.SendKeys(chromedp.CSS(".signin input"), "wrong"+enter))
		b.shows(".signin", "does not know the token")
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".signin input").value = ""`))
		b.do(chromedp.SendKeys(chromedp.CSS(".signin input"), token+enter))
		b.until(`document.querySelector(".views")`)
		b.press("2")
		b.shows(".objects .row", "Lamp/"+names[0])
		b.shows(".unseen-parts", "You may not see")
		if text := b.text("body"); strings.Contains(text, names[1]) {
			t.Errorf("a user who may not list it sees %s:\n%s", names[1], text)
		}
		b.do(chromedp.Navigate(page + "?object=" + "/Lamp.page.example.dev/" + theirsOf(names[1], mine, theirs) + "/" + names[1]))
		b.shows(".details", "may not see it")
	}
}

func theirsOf(name, mine, theirs string) string {
	if name == "mine" {
		return mine
	}
	return theirs
}

// TestHistory: changes that were seen, a lane that flaps, a gap while no server ran, and before that what events and managed fields report;
// each is marked as what it is.
func TestHistory(t *testing.T) {
	s := apiServerForTest(t)
	namespace := s.namespace(t)
	lamps := s.lamps(t, namespace)
	s.lamp(t, lamps, "hall", "True", "Switched")
	before := time.Now().Add(-3 * time.Hour).UTC().Format(time.RFC3339)
	s.send(t, http.MethodPost, "/api/v1/namespaces/"+namespace+"/events",
		`{"metadata":{"name":"hall.1"},"involvedObject":{"apiVersion":"page.example.dev/v1","kind":"Lamp","name":"hall","namespace":"`+namespace+
			`"},
		"type":"Warning","reason":"Flickers","message":"the light flickers","firstTimestamp":"`+before+`","lastTimestamp":"`+before+
			`","count":4}`)
	args := []string{"ui", "--kubeconfig", s.kubeconfig(t, map[string]string{"admin": ""}), "--context", "admin", "-n", namespace, "--history",
		filepath.Join(t.TempDir(), "history")}
	object := "view=objects&tab=history&range=24h&object=/Lamp.page.example.dev/" + namespace + "/hall"
	t.Run("live", func(t *testing.T) {
		b := open(t, with(t, start(t, args...), object), 1440, 900)
		b.shows(".marks-list", "Flickers")
		b.shows(".transitions", "Switched")
		b.until(`document.querySelector(".lanes .unseen-start")`)
		for i, status := range []string{"False", "True", "False", "True", "False"} {
			reason := "Turn" + string(rune('A'+i))
			s.lamp(t, lamps, "hall", status, reason)
			b.shows(".transitions", reason)
		}
		b.shows(".history .note", "changed 5 times within ten minutes")
		b.until(`document.querySelector(".objects .row .flapping")`)
		// From a change to what was unhealthy then, and from there to a time before the server ran.
		b.press(escape + "4")
		b.shows(".change-list", "Lamp/hall")
		b.do(chromedp.Click(chromedp.CSS(`.change-list .trend-worse .c-at a`)))
		b.shows(".moment .change-list", "Lamp/hall")
		b.do(chromedp.Evaluate[chromedp.Void](`(() => { const q = new URLSearchParams(location.search); q.set("time", ` + quoted(before) +
			`); history.pushState(null, "", "?" + q); dispatchEvent(new PopStateEvent("popstate")); })()`))
		b.shows(".moment .note", "nothing was watched before")
		b.shows(".warnings", "Flickers")
		b.accessible("a moment before the server ran")
	})
	s.lamp(t, lamps, "hall", "True", "WhileAway")
	b := open(t, with(t, start(t, args...), object), 1440, 900)
	b.shows(".history .note", "the server was not running")
	b.until(`document.querySelector(".lanes rect.gap")`)
	b.until(`document.querySelector(".lanes .from-gap, .lanes .from-condition")`)
	b.shows(".transitions", "TurnE")
	b.shows(".transitions", "WhileAway")
	s.send(t, http.MethodPost, "/api/v1/namespaces/"+namespace+"/resourcequotas", `{"metadata":{"name":"few"},"spec":{"hard":{"pods":"3"}}}`)
	b.shows(".objects .row", "ResourceQuota/few")
	b.do(chromedp.Click(chromedp.CSS(`.objects .row a[href*="ResourceQuota"]`)))
	b.press("h")
	b.shows(".marks-list", "managedFields")
	b.shows(".marks-list", "wrote spec")
	b.quiet()
}

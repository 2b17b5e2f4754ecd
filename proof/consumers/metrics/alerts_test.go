// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"k8s.io/klog/v2"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/grafana"
	"github.com/tristate/tristate/internal/export/metrics"
	"github.com/tristate/tristate/systems"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false) // kube-state-metrics lists its metrics
	klog.SetOutput(io.Discard)
	m.Run()
}

var up = sample{labels.FromStrings("__name__", "up", "job", "kube-state-metrics"), 1}

// shipped returns the kinds of the catalogs that come with the command.
func shipped(t *testing.T) []*export.Subject {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	return export.All(set)
}

// expectation is what has to fire for an object in a state, and from when on.
type expectation struct {
	reason bool          // one alert, which has the name of the reason
	after  time.Duration // not before
	never  bool
}

// expected returns what the declaration of a cell asks for. It is false where the export lists a difference.
func expected(k *catalog.Kind, state string) (string, expectation, bool) {
	typ, word, ok := strings.Cut(state, "=")
	status, reason, _ := strings.Cut(word, "/")
	t := k.Type(typ)
	if !ok || t == nil {
		return "", expectation{}, false
	}
	c, r := k.Condition(typ), k.Reason(typ, reason, conditions.Status(status))
	if r == nil || t.Imported || c.Open != "" || c.Derive != nil &&
		(c.Derive.Mirror != nil || c.Derive.Aggregate != nil || c.Derive.Summary != nil && t.Role != conditions.RoleSummary) {
		return "", expectation{}, false
	}
	budget := 15 * time.Minute
	if d, err := time.ParseDuration(k.Source.Spec.Deadline); err == nil {
		budget = d
	}
	limit := budget
	if r.Deadline != nil && r.Deadline.After > 0 { // 0: the controller gives each object a time, which is in no series
		limit = r.Deadline.After
	}
	switch r.Class {
	case conditions.ClassTerminal:
		return reason, expectation{reason: true}, true
	case conditions.ClassProgress, conditions.ClassTransient:
		return reason, expectation{after: limit, never: limit == 0}, true
	case conditions.ClassOK, conditions.ClassSuspended:
		return reason, expectation{never: true}, true
	}
	return reason, expectation{}, false
}

// TestAlerts plays every state of every kind: healthy for ten minutes, then each object in a state of its own, then healthy again. A
// terminal cell fires one alert at once, a cell in progress none before its deadline, and recovery resolves all.
func TestAlerts(t *testing.T) {
	kinds, terminal, progress := 0, 0, 0
	for _, s := range shipped(t) {
		files, ok := product(t, s, metrics.Options{})
		if !ok {
			continue
		}
		kinds++
		t.Run(s.Name(), func(t *testing.T) {
			k := s.Kinds[0]
			all := generators(t, files[metrics.ConfigurationFile])
			server := newServer(t, files[metrics.RulesFile])
			seen := map[string]bool{"deleting": true}
			states := slices.DeleteFunc(export.States(s, k), func(s export.State) bool {
				twice := seen[s.Name]
				seen[s.Name] = true
				return twice
			})
			healthy := export.States(s, k)
			fine := healthy[len(healthy)-1].Object // the deleting one is healthy otherwise
			delete(fine["metadata"].(map[string]any), "deletionTimestamp")
			var good, bad []sample
			longest := 20 * time.Minute
			for _, state := range states {
				good = append(good, scrape(t, all, named(fine, state.Name))...)
				bad = append(bad, scrape(t, all, named(state.Object, state.Name))...)
				if _, e, ok := expected(k, state.Name); ok {
					longest = max(longest, e.after+5*time.Minute)
				}
			}
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			now := start
			for ; now.Before(start.Add(10 * time.Minute)); now = now.Add(step) {
				server.at(now, append(slices.Clone(good), up))
			}
			if firing := server.firing(); len(firing) > 0 {
				t.Errorf("healthy objects fire %v", firing)
			}
			broken := now
			for ; !now.After(broken.Add(longest)); now = now.Add(step) {
				samples := append(slices.Clone(bad), up)
				if now.Equal(broken) {
					samples = append(samples, stale(good, bad, math.Float64frombits(value.StaleNaN))...)
				}
				server.at(now, samples)
				since := now.Sub(broken)
				firing := server.firing()
				for _, state := range states {
					reason, e, ok := expected(k, state.Name)
					fires := firing[state.Name]
					if !ok {
						continue
					}
					switch {
					case e.reason && (len(fires) != 1 || !strings.Contains(fires[0], regexp.MustCompile(`\W`).ReplaceAllString(reason, "_"))):
						t.Fatalf("%s after %s: %v fires, want one alert about %s", state.Name, since, fires, reason)
					case e.never && len(fires) > 0, since < e.after && len(fires) > 0:
						t.Fatalf("%s after %s of %s: %v fires", state.Name, since, e.after, fires)
					case !e.never && since >= e.after+step && len(fires) != 1:
						t.Fatalf("%s after %s of %s: %v fires, want one alert", state.Name, since, e.after, fires)
					}
				}
			}
			firing := server.firing()
			for _, state := range states {
				if _, e, ok := expected(k, state.Name); ok && e.reason {
					terminal++
				} else if ok && !e.never {
					progress++
				}
			}
			if k.Source.Spec.InStatus() && !slices.Contains(firing["stale"], s.For.Kind+"Stale") {
				t.Errorf("a status about an older generation fires %v", firing["stale"])
			}
			server.at(now, append(append(slices.Clone(good), up), stale(bad, good, math.Float64frombits(value.StaleNaN))...))
			if firing := server.firing(); len(firing) > 0 {
				t.Errorf("after the recovery %v fires", firing)
			}
		})
	}
	t.Logf("%d kinds, %d terminal cells, %d cells with a time", kinds, terminal, progress)
	if kinds < 10 || terminal < 100 || progress < 100 {
		t.Error("too few")
	}
}

// TestExporter: the death of the exporter, and of the series of one kind, is an alert, and an object that is deleted for too long.
func TestExporter(t *testing.T) {
	s := shipped(t)[0]
	for _, one := range shipped(t) {
		if one.For.Kind == "ToolPolicy" {
			s = one
		}
	}
	files, _ := product(t, s, metrics.Options{})
	all, server := generators(t, files[metrics.ConfigurationFile]), newServer(t, files[metrics.RulesFile])
	states := export.States(s, s.Kinds[0])
	samples := scrape(t, all, states[len(states)-1].Object)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fired := map[string]bool{}
	note := func() {
		for _, names := range server.firing() {
			for _, name := range names {
				fired[name] = true
			}
		}
	}
	now := start
	for ; now.Before(start.Add(40 * time.Minute)); now = now.Add(step) {
		server.at(now, append(slices.Clone(samples), up))
		note()
	}
	if !fired["ToolPolicyTerminating"] || len(fired) > 1 {
		t.Errorf("an object that is being deleted for 40 minutes: %v", fired)
	}
	for ; now.Before(start.Add(60 * time.Minute)); now = now.Add(step) { // the rights are gone
		server.at(now, []sample{up})
		note()
	}
	for ; now.Before(start.Add(80 * time.Minute)); now = now.Add(step) { // the exporter is gone
		server.at(now, nil)
		note()
	}
	for _, name := range []string{"ToolPolicyVanished", "TristateExporterDown"} {
		if !fired[name] {
			t.Errorf("%s does not fire: %v", name, fired)
		}
	}
}

// TestPerReason: with alerts per reason, many objects are one alert with their number.
func TestPerReason(t *testing.T) {
	for _, s := range shipped(t) {
		if s.For.Kind != "ToolPolicy" {
			continue
		}
		files, _ := product(t, s, metrics.Options{Per: metrics.PerReason})
		all, server := generators(t, files[metrics.ConfigurationFile]), newServer(t, files[metrics.RulesFile])
		var samples []sample
		for _, state := range export.States(s, s.Kinds[0]) {
			if _, e, ok := expected(s.Kinds[0], state.Name); ok && e.reason && len(samples) == 0 {
				for _, name := range []string{"a", "b", "c"} {
					samples = append(samples, scrape(t, all, named(state.Object, name))...)
				}
			}
		}
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		server.at(now, append(samples, up))
		var values []float64
		for _, g := range server.groups {
			for _, r := range g.AlertingRules() {
				for _, a := range r.ActiveAlerts() {
					if a.Labels.Get("class") == "terminal" {
						values = append(values, a.Value)
						if !strings.HasPrefix(a.Annotations.Get("summary"), "3 objects of kind ToolPolicy in namespace default") {
							t.Errorf("summary %q", a.Annotations.Get("summary"))
						}
					}
				}
			}
		}
		if !slices.Equal(values, []float64{3}) {
			t.Errorf("alerts with the values %v, want one of 3", values)
		}
	}
}

// TestDashboard runs every query of the dashboard over the series of every state.
func TestDashboard(t *testing.T) {
	answered := map[string]int{}
	for _, s := range shipped(t) {
		files, ok := product(t, s, metrics.Options{})
		if !ok {
			continue
		}
		all, server := generators(t, files[metrics.ConfigurationFile]), newServer(t, files[metrics.RulesFile])
		var samples []sample
		for i, state := range export.States(s, s.Kinds[0]) {
			samples = append(samples, scrape(t, all, named(state.Object, fmt.Sprint(i)))...)
		}
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		server.at(now, samples)
		p, err := grafana.Generate([]*export.Subject{s}, grafana.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var dashboard struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(p.Files[0].Data, &dashboard); err != nil {
			t.Fatal(err)
		}
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				expr := strings.NewReplacer("$kind", ".*", "$namespace", ".*").Replace(target.Expr)
				q, err := server.engine.NewInstantQuery(t.Context(), server.db, promql.NewPrometheusQueryOpts(false, 0), expr, now)
				if err != nil {
					t.Fatalf("%s: %v", panel.Title, err)
				}
				result := q.Exec(t.Context())
				v, err := result.Vector()
				if err != nil || s.For.Kind == "ToolPolicy" && len(v) == 0 {
					t.Errorf("%s, %s: %v, %d series", s.Name(), panel.Title, err, len(v))
				}
				answered[panel.Title] += len(v)
				q.Close()
			}
		}
	}
	for title, n := range answered {
		if n == 0 {
			t.Errorf("%s has no series for any kind", title)
		}
	}
	if len(answered) != 8 {
		t.Errorf("%d panels are asked", len(answered))
	}
}

// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/teststorage"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"k8s.io/kube-state-metrics/v2/pkg/metric"
	generator "k8s.io/kube-state-metrics/v2/pkg/metric_generator"

	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/metrics"
)

// generators returns the code of kube-state-metrics that makes the series of a kind.
func generators(t *testing.T, config []byte) []generator.FamilyGenerator {
	t.Helper()
	var c customresourcestate.Metrics
	d := yaml.NewDecoder(bytes.NewReader(config))
	d.KnownFields(true)
	var file struct {
		Kind                        string
		customresourcestate.Metrics `yaml:",inline"`
	}
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	c = file.Metrics
	var out []generator.FamilyGenerator
	for _, r := range c.Spec.Resources {
		for i := range r.Metrics { // as its own loader does
			r.Metrics[i].Each.Type = metric.Type(strings.ToLower(string(r.Metrics[i].Each.Type)))
		}
		factory, err := customresourcestate.NewCustomResourceMetrics(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, factory.MetricFamilyGenerators()...)
	}
	return out
}

// sample is one sample of a scrape.
type sample struct {
	labels labels.Labels
	value  float64
}

// scrape returns the samples that Prometheus reads of the text that kube-state-metrics writes about an object.
func scrape(t *testing.T, all []generator.FamilyGenerator, object map[string]any) []sample {
	t.Helper()
	var text bytes.Buffer
	for _, g := range all {
		family := g.GenerateFunc(&unstructured.Unstructured{Object: object})
		family.Name, family.Type = g.Name, g.Type
		text.Write(family.ByteSlice())
	}
	p := textparse.NewPromParser(text.Bytes(), labels.NewSymbolTable(), false)
	var out []sample
	for {
		entry, err := p.Next()
		if err != nil {
			if err.Error() != "EOF" {
				t.Fatalf("%v in\n%s", err, &text)
			}
			return out
		}
		if entry == textparse.EntrySeries {
			var l labels.Labels
			p.Labels(&l)
			_, _, v := p.Series()
			out = append(out, sample{l, v})
		}
	}
}

// server is Prometheus's storage, query engine and rules.
type server struct {
	t      *testing.T
	db     *teststorage.TestStorage
	engine *promql.Engine
	groups []*rules.Group
}

const step = time.Minute

func newServer(t *testing.T, rulesFile []byte) *server {
	t.Helper()
	if _, errs := rulefmt.Parse(rulesFile, false, model.LegacyValidation, parser.NewParser(parser.Options{}),
		promslog.NewNopLogger()); len(errs) > 0 {
		t.Fatalf("the rules: %v", errs)
	}
	s := &server{t: t, db: teststorage.New(t), engine: promqltest.NewTestEngine(t, false, 0, 10_000_000)}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, rulesFile, 0o600); err != nil {
		t.Fatal(err)
	}
	m := rules.NewManager(&rules.ManagerOptions{QueryFunc: rules.EngineQueryFunc(s.engine, s.db), Appendable: s.db, Queryable: s.db,
		Context:    t.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: promslog.NewNopLogger(),
		Parser: parser.NewParser(parser.Options{})})
	groups, errs := m.LoadGroups(step, labels.EmptyLabels(), "", nil, false, file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, g := range groups {
		s.groups = append(s.groups, g)
	}
	return s
}

// at stores samples at a time and evaluates the rules.
func (s *server) at(now time.Time, samples []sample) {
	s.t.Helper()
	app := s.db.Appender(s.t.Context())
	refs := map[string]storage.SeriesRef{}
	for _, one := range samples {
		key := one.labels.String()
		if _, twice := refs[key]; twice {
			s.t.Fatalf("the series %s is there twice", key)
		}
		ref, err := app.Append(0, one.labels, now.UnixMilli(), one.value)
		if err != nil {
			s.t.Fatalf("%s: %v", key, err)
		}
		refs[key] = ref
	}
	if err := app.Commit(); err != nil {
		s.t.Fatal(err)
	}
	for _, g := range s.groups {
		g.Eval(s.t.Context(), now)
		for _, r := range g.Rules() {
			if err := r.LastError(); err != nil {
				s.t.Fatalf("%s: %v", r.Name(), err)
			}
		}
	}
}

// stale marks series that a scrape does not have any more, as Prometheus does.
func stale(before, after []sample, mark float64) []sample {
	now := map[string]bool{}
	for _, s := range after {
		now[s.labels.String()] = true
	}
	var out []sample
	for _, s := range before {
		if !now[s.labels.String()] {
			out = append(out, sample{s.labels, mark})
		}
	}
	return out
}

// firing returns the names of the alerts that fire, by the name of their object; those without one under "".
func (s *server) firing() map[string][]string {
	out := map[string][]string{}
	for _, g := range s.groups {
		for _, r := range g.AlertingRules() {
			for _, a := range r.ActiveAlerts() {
				if a.State == rules.StateFiring {
					out[a.Labels.Get("name")] = append(out[a.Labels.Get("name")], r.Name())
				}
			}
		}
	}
	return out
}

// product returns the files of a product by name.
func product(t *testing.T, s *export.Subject, o metrics.Options) (map[string][]byte, bool) {
	t.Helper()
	p, err := metrics.Generate([]*export.Subject{s}, o)
	if err != nil || !p.Has(s) {
		return nil, false
	}
	out := map[string][]byte{}
	for _, f := range p.Files {
		out[f.Name] = f.Data
	}
	return out, true
}

// named returns a copy of an object with another name.
func named(object map[string]any, name string) map[string]any {
	out := maps.Clone(object)
	meta, _ := out["metadata"].(map[string]any)
	meta = maps.Clone(meta)
	meta["name"] = name
	out["metadata"] = meta
	return out
}

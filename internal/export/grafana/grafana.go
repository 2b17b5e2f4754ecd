// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/metrics"
)

// File is the file of the product. JSON has no comments: the description of the dashboard has the mark.
const File = "dashboard.json"

// Options are the choices of a user.
type Options struct {
	Prefix string // of the metrics of kube-state-metrics; without one kube_customresource
	Title  string // of the dashboard; without one Conditions
}

type object = map[string]any

// panel is one panel of the dashboard.
type panel struct {
	kind, title, description string
	x, y, w, h               int
	expr                     string
	instant                  bool
	legend                   string
	ranks                    bool // values are ranks of objects
	transformations          []object
}

// Generate returns the dashboard for kinds of which package metrics makes series.
func Generate(subjects []*export.Subject, o Options) (*export.Product, error) {
	if len(subjects) == 0 {
		return nil, errors.New("no kinds")
	}
	series, err := metrics.Generate(subjects, metrics.Options{Prefix: o.Prefix})
	if err != nil {
		return nil, err
	}
	p := &export.Product{Differences: series.Differences}
	var names []string
	for _, s := range subjects {
		if series.Has(s) {
			p.Include(s)
			names = append(names, s.For.Kind)
		}
	}
	if len(names) == 0 {
		return p, nil
	}
	slices.Sort(names)
	data, err := json.MarshalIndent(dashboard(slices.Compact(names), Options{cmp.Or(o.Prefix, "kube_customresource"),
		cmp.Or(o.Title, "Conditions")}), "", "  ")
	if err != nil {
		return nil, err
	}
	p.Files = []export.File{{Name: File, Data: append(data, '\n')}}
	p.Notes = []string{"the panels read the series that the rules of tristate gen metrics record"}
	return p, nil
}

// in selects the objects that the variables choose.
const in = `customresource_kind=~"$kind", namespace=~"$namespace"`

func dashboard(kinds []string, o Options) object {
	transition := strings.TrimPrefix(o.Prefix+"_condition_last_transition_time", "_")
	ranks := func(n string) string {
		return "count(" + metrics.RankSeries + "{" + in + "} == " + n + ") or vector(0)"
	}
	panels := []panel{
		{kind: "stat", title: "Needs a person", description: "Objects with a terminal condition.", w: 6, h: 4, expr: ranks("4"), instant: true},
		{kind: "stat", title: "Failing or unknown", description: "Objects whose controller tries again, or of which nothing is known.", x: 6,
			w: 6, h: 4, expr: ranks("3"), instant: true},
		{kind: "stat", title: "In progress", x: 12, w: 6, h: 4, expr: ranks("2"), instant: true},
		{kind: "stat", title: "Healthy", x: 18, w: 6, h: 4, expr: ranks("0"), instant: true},
		{kind: "table", title: "Unhealthy conditions", description: "Each condition that is not healthy, and for how many seconds it has had " +
			"its status.", y: 4, w: 24, h: 9, instant: true,
			expr: "time() - max by (customresource_group, customresource_kind, namespace, name, type) (" + transition + "{" + in + "})" +
				" * on (customresource_group, customresource_kind, namespace, name, type) group_right ()" +
				" max by (customresource_group, customresource_kind, namespace, name, type, status, reason, class) (" + metrics.ClassSeries + "{" + in +
				`, class!~"ok|suspended"})`,
			transformations: []object{{"id": "organize", "options": object{"excludeByName": object{"Time": true, "customresource_group": true},
				"renameByName": object{"customresource_kind": "kind", "Value": "seconds"}}}}},
		{kind: "state-timeline", title: "Objects over time", description: "The worst 30 objects.", y: 13, w: 24, h: 10,
			legend: "{{customresource_kind}} {{namespace}}/{{name}}", ranks: true,
			expr: "topk(30, " + metrics.RankSeries + "{" + in + "})"},
		{kind: "timeseries", title: "Conditions by class", y: 23, w: 12, h: 8, legend: "{{class}}", expr: "count by (class) (" +
			metrics.ClassSeries + "{" + in + "})"},
		{kind: "timeseries", title: "Most frequent reasons of failures", x: 12, y: 23, w: 12, h: 8, legend: "{{customresource_kind}} {{reason}}",
			expr: "topk(10, count by (customresource_kind, reason) (" + metrics.ClassSeries + "{" + in +
				`, class=~"terminal|transient|unhealthy|undeclared"}))`},
	}
	list := make([]object, len(panels))
	for i, p := range panels {
		list[i] = p.json(i + 1)
	}
	query := func(name, label, query string) object {
		return object{"name": name, "label": label, "type": "query", "datasource": source(), "query": object{"query": query, "refId": name},
			"definition": query,
			"refresh":    2, "sort": 1, "multi": true, "includeAll": true, "allValue": ".*", "current": object{"text": "All", "value": "$__all"}}
	}
	return object{
		"title": o.Title, "uid": "tristate-conditions", "tags": []string{"tristate"}, "schemaVersion": 39, "version": 1, "editable": true,
		"description": "Code " + export.Mark + " grafana; do not edit. Kinds: " + strings.Join(kinds, ", ") + ".",
		"time":        object{"from": "now-6h", "to": "now"}, "refresh": "1m", "annotations": object{"list": []object{}}, "links": []object{},
		"panels": list,
		"templating": object{"list": []object{
			{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "refresh": 1, "current": object{}},
			query("kind", "Kind", "label_values("+metrics.RankSeries+`{customresource_kind=~"`+strings.Join(kinds, "|")+`"}, customresource_kind)`),
			query("namespace", "Namespace", "label_values("+metrics.RankSeries+`{customresource_kind=~"$kind"}, namespace)`),
		}},
	}
}

func source() object { return object{"type": "prometheus", "uid": "${datasource}"} }

// words are the ranks of objects, with colours.
var words = []struct{ text, colour string }{{"healthy", "green"}, {"suspended", "blue"}, {"in progress", "yellow"},
	{"failing or unknown", "orange"}, {"needs a person", "red"}}

func (p panel) json(id int) object {
	target := object{"refId": "A", "datasource": source(), "expr": p.expr, "instant": p.instant, "range": !p.instant, "legendFormat": p.legend}
	if p.kind == "table" {
		target["format"] = "table"
	}
	defaults := object{"custom": object{}, "mappings": []object{}, "color": object{"mode": "palette-classic"}}
	if p.ranks {
		values := object{}
		steps := make([]object, len(words))
		for i, w := range words {
			values[string(rune('0'+i))] = object{"text": w.text, "color": w.colour, "index": i}
			steps[i] = object{"color": w.colour, "value": i}
		}
		steps[0]["value"] = nil
		defaults = object{"custom": object{}, "mappings": []object{{"type": "value", "options": values}}, "color": object{"mode": "thresholds"},
			"thresholds": object{"mode": "absolute", "steps": steps}}
	}
	out := object{"id": id, "type": p.kind, "title": p.title, "description": p.description, "datasource": source(),
		"targets": []object{target},
		"gridPos": object{"x": p.x, "y": p.y, "w": p.w, "h": p.h}, "fieldConfig": object{"defaults": defaults, "overrides": []object{}},
		"options": object{}}
	if p.transformations != nil {
		out["transformations"] = p.transformations
	}
	return out
}

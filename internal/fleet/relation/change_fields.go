// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// write is an entry of the managed fields: the last write of a manager, and the fields that it owns.
type write struct {
	manager string
	at      time.Time
	paths   []string
}

// mostPaths is how many fields of one write are named; of a write of more, those are named that the reason is about.
const mostPaths = 3

// writesOf returns the writes of an object by people and tools: those of its status are left out, and those of the moment in which it was
// created.
func writesOf(o *Object) []write {
	created := createdAt(o)
	var out []write
	for _, entry := range nested.Maps(o.Content, "metadata", "managedFields") {
		w := write{manager: nested.Text(entry, "manager"), at: parsed(nested.Text(entry, "time"))}
		if s := nested.Text(entry, "subresource"); s != "" && s != "scale" || w.at.IsZero() || !w.at.After(created.Add(changeSlack/2)) {
			continue
		}
		data, err := json.Marshal(entry["fieldsV1"])
		if err != nil {
			continue
		}
		var set fieldpath.Set
		if set.FromJSON(bytes.NewReader(data)) != nil {
			continue
		}
		set.Leaves().Iterate(func(p fieldpath.Path) {
			if path := pathText(p); strings.HasPrefix(path, "metadata.labels") || !strings.HasPrefix(path, "metadata.") &&
				!strings.HasPrefix(path, "status.") {
				w.paths = append(w.paths, path)
			}
		})
		slices.Sort(w.paths)
		out = append(out, w)
	}
	return out
}

// lastWrite returns the time of the last write of an object, of its status too.
func lastWrite(o *Object) (last time.Time) {
	for _, entry := range nested.Maps(o.Content, "metadata", "managedFields") {
		if t := parsed(nested.Text(entry, "time")); t.After(last) {
			last = t
		}
	}
	return last
}

// keyNames are the names of keys in a path, as in [containerPort=8080,protocol="TCP"].
var keyNames = regexp.MustCompile(`([\[,])\w*=`)

// pathText writes a path as spec.containers[web].image: an item of a list by its key, its value or its place.
func pathText(p fieldpath.Path) string {
	text := keyNames.ReplaceAllString(strings.TrimPrefix(p.String(), "."), "$1")
	return strings.NewReplacer(`"`, "", ",", "/").Replace(text)
}

// managed adds the writes of an object, and its creation if it is younger than the trouble of objects that were there before it.
func (e *edits) managed(o *Object) {
	if e.seen[o.ID] {
		return
	}
	e.seen[o.ID] = true
	created := createdAt(o)
	if o.ID == e.cause.Node.ID && o.ID != e.cause.Chain[0].ID && len(o.owners()) == 0 && !created.IsZero() {
		if root := e.cause.Chain[0].Object; root != nil && created.After(createdAt(root).Add(time.Minute)) {
			e.add(Change{ID: o.ID, At: created}, false)
		}
	}
	if o.Kind == "ReplicaSet" && o.Group == "apps" || o.GroupKind == podKind && len(o.owners()) > 0 || o.GroupKind == sliceKind {
		return // written by its owner
	}
	secret := o.Group == "" && (o.Kind == "Secret" || o.Kind == "ConfigMap")
	for _, w := range writesOf(o) {
		by := e.v.manager(o, w.manager)
		var paths []string
		for _, path := range w.paths {
			if e.diffed[o.ID] && strings.HasPrefix(path, "spec.template") {
				continue
			}
			if fits, strong := explained(e.cause.Node.Judgement, Change{ID: o.ID, Path: path}); fits && (strong || len(w.paths) <= mostPaths) {
				paths = append(paths, path)
			}
		}
		if secret && len(paths) > mostPaths {
			paths = []string{"data"}
		}
		paths = outermost(paths)
		for _, path := range paths[:min(len(paths), mostPaths)] {
			e.add(Change{ID: o.ID, Path: path, By: by, At: w.at}, false)
		}
	}
}

// outermost cuts paths that lead into one list or map of the same field to that field, if there are many.
func outermost(paths []string) []string {
	if len(paths) <= mostPaths {
		return paths
	}
	var out []string
	for _, path := range paths {
		parts := strings.Split(path, ".")
		short := strings.Join(parts[:min(len(parts), 2)], ".")
		short, _, _ = strings.Cut(short, "[")
		if !slices.Contains(out, short) {
			out = append(out, short)
		}
	}
	return out
}

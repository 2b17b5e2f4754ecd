// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Join loads the catalogs that were read, assigns each object the catalog of its kind, and ends the reading. Context holds further catalogs
// that are not checked but complete the set, as those that come with the command; catalogs that were read replace them.
func (e *Evidence) Join(context map[string][]byte) {
	if len(e.catalogs)+len(context) > 0 {
		e.Catalogs = load(e.catalogs, context)
	}
	if len(e.before) > 0 {
		e.Before = load(e.before, nil)
		for _, err := range e.Before.Errors {
			if err.Code == catalog.CodeParse { // an earlier version may break rules of today, but must be readable
				e.fault(err.Position, "earlier catalog: %s", err.Message)
			}
		}
	}
	maps.Copy(e.Files, e.catalogs)
	set := e.Set()
	for _, o := range e.Objects {
		if e.Stopped() {
			return
		}
		o.join(set)
	}
	for _, t := range e.History {
		for _, o := range t.Observations {
			o.join(set)
		}
	}
}

// AddCatalog adds the text of a catalog.
func (e *Evidence) AddCatalog(file string, data []byte) { e.catalogs[file] = data }

// AddBefore adds the text of an earlier catalog.
func (e *Evidence) AddBefore(file string, data []byte) { e.before[file] = data }

func load(files, context map[string][]byte) *Catalogs {
	out := &Catalogs{Files: files}
	claimed := map[schema.GroupKind]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sources, _ := catalog.Parse(name, files[name]) // Load returns the same errors
		for _, s := range sources {
			out.Sources = append(out.Sources, s)
			if len(s.Spec.Conditions)+len(s.Spec.States)+len(s.Spec.Verdicts) > 0 {
				claimed[forOf(s)] = true
			}
		}
	}
	set, err := catalog.LoadWith(compile(context, claimed), files)
	out.Set = set
	var found catalog.Errors
	if errors.As(err, &found) {
		for _, f := range found {
			if _, ours := files[f.Position.File]; ours || f.Position.File == "" || !strings.HasPrefix(f.Position.File, contextPrefix) {
				out.Errors = append(out.Errors, f)
			}
		}
	}
	for _, k := range set.Kinds() {
		if _, ours := files[k.Source.At("").File]; ours || k.Source.At("").File == "" {
			out.Kinds = append(out.Kinds, k)
		}
	}
	return out
}

const contextPrefix = "embedded:"

// compile returns the kinds of the context that the catalogs that were read do not claim.
func compile(context map[string][]byte, claimed map[schema.GroupKind]bool) []*catalog.Kind {
	var out []*catalog.Kind
	for name, data := range context {
		sources, _ := catalog.Parse(contextPrefix+name, data)
		for _, s := range sources {
			if claimed[forOf(s)] {
				continue
			}
			if k, err := catalog.CompileShipped(s); err == nil {
				out = append(out, k)
			}
		}
	}
	return out
}

func forOf(s *catalog.Source) schema.GroupKind {
	return schema.GroupKind{Group: s.Spec.For.Group, Kind: s.Spec.For.Kind}
}

// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
	"go.yaml.in/yaml/v3"
)

// Need is a set of kinds of evidence.
type Need uint16

// The kinds of evidence.
const (
	Catalog  Need = 1 << iota // declarations
	Baseline                  // an earlier version of the declarations
	CRD                       // CustomResourceDefinitions
	Source                    // scanned code
	Docs                      // Markdown
	Object                    // objects
	History                   // observations of objects over time
	Graph                     // objects together with declared relations
	Exports                   // alert rules, metric configuration, health scripts, generated code
	Run                       // the run itself: exceptions, baseline of findings, inputs
)

var needNames = []string{"catalog", "baseline", "crd", "source", "docs", "object", "history", "graph", "exports", "run"}

// String returns the names of the kinds, joined by commas.
func (n Need) String() string { return strings.Join(n.Names(), ", ") }

// Names returns the names of the kinds.
func (n Need) Names() []string {
	var out []string
	for i, name := range needNames {
		if n&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// Evidence is the input of a run. It is read-only while checks run.
type Evidence struct {
	// Files are the texts that positions refer to.
	Files map[string][]byte
	// Catalogs are the declarations; nil without any.
	Catalogs *Catalogs
	// Before is the earlier version; nil without one.
	Before *Catalogs
	CRDs   []*Definition
	Source []*source.Scan
	Docs   []*Document
	// Objects are the objects that were read, in order; History groups observed objects.
	Objects []*ObjectView
	History []*Timeline
	Exports []*Export

	// Whole is set if the catalogs are a whole folder, or all that there are: a kind that is not among them was
	// removed.
	Whole bool

	Exceptions []*Exception
	Unreadable []Fault
	Empty      []string
	// Stop ends reading, joining and the run of checks once it returns true: what is found until then is not whole. nil never does.
	Stop func() bool

	catalogs  map[string][]byte
	before    map[string][]byte
	observing bool
}

// Stopped reports whether Stop returns true.
func (e *Evidence) Stopped() bool { return e.Stop != nil && e.Stop() }

// Fault is something that could not be read.
type Fault struct {
	Position catalog.Position
	Message  string
}

// Catalogs are loaded declarations.
type Catalogs struct {
	// Set resolves kinds, with those that are only context.
	Set *catalog.Set
	// Kinds are to be checked. Sources are their documents, and documents that could not be compiled.
	Kinds   []*catalog.Kind
	Sources []*catalog.Source
	Errors  catalog.Errors
	Files   map[string][]byte
}

// New returns empty evidence.
func New() *Evidence {
	return &Evidence{Files: map[string][]byte{}, catalogs: map[string][]byte{}, before: map[string][]byte{}}
}

// Have returns the kinds of evidence that there are.
func (e *Evidence) Have() Need {
	have := Run
	for need, there := range map[Need]bool{
		Catalog: e.Catalogs != nil && len(e.Catalogs.Files) > 0, Baseline: e.Before != nil, CRD: len(e.CRDs) > 0, Source: len(e.Source) > 0,
		Docs:   len(e.Docs) > 0,
		Object: len(e.Objects) > 0, History: len(e.History) > 0, Graph: len(e.Objects) > 0 && e.related(), Exports: len(e.Exports) > 0,
	} {
		if there {
			have |= need
		}
	}
	return have
}

// related reports whether the catalog of an object declares relations.
func (e *Evidence) related() bool {
	return slices.ContainsFunc(e.Objects, func(o *ObjectView) bool { return o.Kind != nil && len(o.Kind.Relations) > 0 })
}

// Set returns the set of catalogs; nil without any.
func (e *Evidence) Set() *catalog.Set {
	if e.Catalogs == nil {
		return nil
	}
	return e.Catalogs.Set
}

// ExportKind is a product of a vocabulary.
type ExportKind string

// The kinds of exports.
const (
	Lua       ExportKind = "lua"       // a health script of Argo CD
	Rules     ExportKind = "rules"     // rule groups of Prometheus, or a PrometheusRule
	Metrics   ExportKind = "metrics"   // a CustomResourceStateMetrics configuration of kube-state-metrics
	Generated ExportKind = "generated" // code that tristate gen wrote
)

// Export is a file that names types, statuses and reasons for others.
type Export struct {
	Kind ExportKind
	File string
	Line int // of the document, from 1
	Data []byte
	Root *yaml.Node // of YAML; its lines count from the document's first
}

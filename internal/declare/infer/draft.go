// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits of a draft.
const (
	maxKinds   = 500
	maxTypes   = 200  // of a kind
	maxReasons = 1000 // of a type
)

// Options are for information that the input may lack.
type Options struct {
	// Kinds are the names of kinds, as Kind or Kind.group, for code that does not name its kind: it belongs to the first.
	Kinds []string
	// Group and Version belong to kinds whose group the input leaves out.
	Group, Version string
	// Dialect of every kind; empty: guessed.
	Dialect string
}

// Draft collects names and meanings. The zero value is not ready for use; see [New].
type Draft struct {
	options Options
	kinds   []*kind
	unused  []string
}

// New begins a draft.
func New(o Options) *Draft { return &Draft{options: o} }

type kind struct {
	group, name string
	versions    []string
	path        string
	dialect     string
	why         string // the dialect was guessed
	generation  string
	types       []*condition
	notes       []string
}

type condition struct {
	name, meaning string
	cells         []*cell
	notes         []string
	open          string // the reasons are not all known
}

type cell struct {
	reason, status, severity, meaning string
	notes                             []string
	in                                []string // the functions that write it, by a scan
}

// skip notes something that could not be used.
func (d *Draft) skip(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(d.unused) < 200 && !slices.Contains(d.unused, text) {
		d.unused = append(d.unused, text)
	}
}

// kind finds or adds a kind; nil if there are too many.
func (d *Draft) kind(group, name string) *kind {
	name, of, grouped := strings.Cut(name, ".")
	if grouped {
		group = of
	}
	for _, option := range d.options.Kinds { // which may have the group of a kind that the input names
		if n, of, ok := strings.Cut(option, "."); ok && n == name {
			group, grouped = cmp.Or(group, of), true
		}
	}
	group = cmp.Or(group, d.options.Group, "example.com")
	for _, k := range d.kinds {
		if k.name == name && k.group == group {
			return k
		}
	}
	if len(d.kinds) == maxKinds {
		d.skip("more than %d kinds", maxKinds)
		return nil
	}
	k := &kind{group: group, name: name, dialect: d.options.Dialect}
	if d.options.Version != "" {
		k.versions = []string{d.options.Version}
	}
	if group == "example.com" && d.options.Group == "" && !grouped {
		k.notes = append(k.notes, "the group was not found")
	}
	d.kinds = append(d.kinds, k)
	return k
}

// ownKind returns the kind of code that names none: the first one of the options, or the only one that was found,
// or nil.
func (d *Draft) ownKind() *kind {
	switch {
	case len(d.options.Kinds) > 0:
		return d.kind("", d.options.Kinds[0])
	case len(d.kinds) == 1:
		return d.kinds[0]
	}
	return nil
}

// condition finds or adds a type; nil if there are too many.
func (k *kind) condition(d *Draft, name string) *condition {
	if k == nil {
		return nil
	}
	for _, c := range k.types {
		if c.name == name {
			return c
		}
	}
	if len(k.types) == maxTypes {
		d.skip("%s has more than %d condition types", k.name, maxTypes)
		return nil
	}
	c := &condition{name: name}
	k.types = append(k.types, c)
	return c
}

// cell finds or adds a reason. A cell whose status was not known takes the one that is found later.
func (c *condition) cell(d *Draft, reason, status string) *cell {
	if c == nil {
		return nil
	}
	for _, one := range c.cells {
		if one.reason == reason && (one.status == status || one.status == "" || status == "") {
			one.status = cmp.Or(one.status, status)
			return one
		}
	}
	if len(c.cells) == maxReasons {
		d.skip("%s has more than %d reasons", c.name, maxReasons)
		return nil
	}
	one := &cell{reason: reason, status: status}
	c.cells = append(c.cells, one)
	return one
}

func (c *cell) note(format string, args ...any) {
	if c != nil {
		c.notes = append(c.notes, fmt.Sprintf(format, args...))
	}
}

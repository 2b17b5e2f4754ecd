// SPDX-License-Identifier: Apache-2.0

package compatcheck

import (
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/diff"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, append(slices.Clone(own), other))

// other is about every rule that has no check of its own.
var other = &check.Check{ID: "compat/other-change", Title: "no other part of the vocabulary changes unnoticed", Level: check.Warning,
	Needs: evidence.Catalog | evidence.Baseline,
	Why:   "a change that no check is about would go unreported", Fix: "mention it in the release notes",
	Run: report(func(c diff.Change) bool {
		return !slices.ContainsFunc(own, func(k *check.Check) bool { return k.ID == "compat/"+c.ID })
	})}

// own are the checks of one rule each.
var own = []*check.Check{
	compat(check.Error, "kind-removed", "every kind that had a catalog still has one", "nothing defines any more what the conditions of its "+
		"objects mean",
		"keep the catalog as long as objects of the kind exist"),
	compat(check.Error, "type-removed", "no condition type is removed before it was deprecated", "whoever waits for the type waits forever",
		"deprecate it first, and remove it in a later version"),
	compat(check.Error, "reason-removed", "no reason is removed before it was deprecated", "alerts and scripts that name it never match again",
		"deprecate it first, and remove it in a later version"),
	compat(check.Error, "renamed-without-alias", "the old name of a renamed type or reason is still read",
		"objects that were written before have a name that no reader knows",
		"add the old name to aliases"),
	compat(check.Error, "alias-removed", "an alias stays", "objects that carry the former name are not understood any more", "keep the alias"),
	compat(check.Warning, "tombstone-missing", "a removed name is listed as retired", "the name can come back with another meaning",
		"add it to retired"),
	compat(check.Error, "tombstone-reused", "a retired name is not used again", "old clients read the new condition with the old meaning",
		"choose another name"),
	compat(check.Warning, "reason-added-closed", "a closed set of reasons does not grow unnoticed",
		"a client that handles every reason does not handle this one",
		"mention it in the release notes, or declare the set as open"),
	compat(check.Info, "reason-added-open", "an open set of reasons stays as it is", "users should know of a new reason",
		"mention it in the release notes"),
	compat(check.Warning, "opened", "a closed set of reasons stays closed", "a client that handles every reason needs a default",
		"mention in the release notes how clients treat unknown reasons"),
	compat(check.Error, "closed", "an open set of reasons stays open", "whoever writes a reason of its own breaks the contract",
		"keep the set open"),
	compat(check.Error, "polarity-changed", "the polarity of a type stays", "alerts and waits keep working and mean the opposite",
		"add a type with another name"),
	compat(check.Error, "status-narrowed", "a type keeps its statuses", "whoever waits for the status waits forever",
		"keep the status, or deprecate the reasons that go with it"),
	compat(check.Warning, "status-widened", "a type gets no further status unnoticed", "clients that know two statuses do not handle "+
		"the third", "mention it in the release notes"),
	compat(check.Error, "cell-moved", "a reason stays with its status", "an alert on the status, or kubectl wait, changes its answer",
		"add a reason with another name"),
	compat(check.Warning, "meaning-changed", "the meaning of a type or reason stays", "a machine cannot decide whether only the words changed",
		"mention it in the release notes"),
	compat(check.Warning, "class-changed", "the class of a reason stays", "it decides whether a person is paged and whether a wait gives up",
		"mention it in the release notes"),
	compat(check.Error, "presence-changed", "a condition is in the list when it was before", "kubectl wait --for=condition=TYPE=False never "+
		"ends where the condition is absent", "keep the presence"),
	compat(check.Error, "summary-changed", "the same types count in the summary", "an object becomes ready, or unready, without any change "+
		"of its own", "add an informational type first"),
	compat(check.Warning, "precedence-changed", "the order of reasons stays", "another reason is shown where several hold",
		"mention it in the release notes"),
	compat(check.Warning, "writer-changed", "the writers of conditions stay", "two managers may hold one condition",
		"mention it in the release notes, with what to do about the old field manager"),
	compat(check.Error, "path-moved", "the list of conditions stays where it is", "every client reads the old place",
		"serve the list in both places, in a new version of the API"),
	compat(check.Error, "message-contract-changed", "messages keep their declared text", "whoever reads parts of a message reads other parts",
		"keep the text"),
	compat(check.Error, "sunset-too-soon", "nothing is removed earlier than announced", "people planned by the announcement",
		"keep the announced version"),
	compat(check.Warning, "deprecated-without-replacement", "a deprecation names a successor or says why there is none",
		"people cannot move away", "add renamedTo, or a note"),
	compat(check.Error, "dialect-changed", "the dialect stays", "it decides how every condition of the kind is read",
		"use the new dialect in a new version of the API"),
	compat(check.Error, "generation-changed", "the observed generation stays where it is", "clients cannot tell whether a condition is "+
		"about the current spec", "keep the old field as well"),
	compat(check.Error, "lifecycle-changed", "a condition changes in the same directions as before",
		"a client that stopped looking after a final status misses what follows", "add a type with another name"),
}

// compat returns the check of one rule of package diff.
func compat(level check.Level, rule, title, why, fix string) *check.Check {
	return &check.Check{ID: "compat/" + rule, Title: title, Level: level, Why: why, Fix: fix, Needs: evidence.Catalog | evidence.Baseline,
		Run: report(func(c diff.Change) bool { return c.ID == rule })}
}

// For returns the check that reports a change.
func For(c diff.Change) *check.Check {
	if i := slices.IndexFunc(own, func(k *check.Check) bool { return k.ID == "compat/"+c.ID }); i >= 0 {
		return own[i]
	}
	return other
}

// levels maps the levels of changes to the levels of findings.
var levels = map[diff.Level]check.Level{diff.Breaking: check.Error, diff.Note: check.Warning, diff.Compatible: check.Info}

// report returns a function that reports some of the changes.
func report(belongs func(diff.Change) bool) func(*check.Pass) {
	return func(p *check.Pass) { compare(p, belongs) }
}

func compare(p *check.Pass, belongs func(diff.Change) bool) {
	after := documents(p.Catalogs)
	changes := p.Once("compat", func() any { return diff.Compare(earlier(p), after) }).([]diff.Change)
	was := p.Once("compat/was", func() any { return index(p.Before) }).(map[string]catalog.Position)
	is := p.Once("compat/is", func() any { return index(p.Catalogs) }).(map[string]catalog.Position)
	for range after {
		p.Subject()
	}
	broken := slices.ContainsFunc(p.Catalogs.Errors, func(err *catalog.Error) bool { return err.Code == catalog.CodeParse })
	for _, c := range changes {
		if !belongs(c) || broken && c.ID == "kind-removed" { // its catalog may be the one that cannot be read
			continue
		}
		old, hadOld := place(was, c.Subject)
		at, found := place(is, c.Subject)
		if !found {
			at = old
		}
		subject := c.Subject
		if p.Check.ID == "compat/other-change" {
			subject += " " + c.ID
		}
		f := p.Report(at, subject, "%s", c.Message).As(levels[c.Level])
		if c.Fix != "" {
			f.Try("%s", c.Fix)
		}
		if found && hadOld {
			f.See(old, "the earlier version")
		}
	}
}

// earlier returns the earlier catalogs that the checked ones are compared with. Where single files are checked and the earlier version has
// several, those are the files of the same names, and documents for a checked kind.
func earlier(p *check.Pass) []*catalog.Document {
	if p.Whole || len(p.Before.Files) == 1 {
		return documents(p.Before)
	}
	checked := map[string]bool{}
	for name := range p.Catalogs.Files {
		checked[path.Base(filepath.ToSlash(name))] = true
	}
	for _, d := range documents(p.Catalogs) {
		checked[diff.KindOf(d)] = true
	}
	var out []*catalog.Document
	for _, s := range p.Before.Sources {
		if checked[path.Base(filepath.ToSlash(s.At("").File))] || checked[diff.KindOf(&s.Document)] {
			out = append(out, &s.Document)
		}
	}
	return out
}

func documents(c *evidence.Catalogs) []*catalog.Document {
	var out []*catalog.Document
	for _, s := range c.Sources {
		out = append(out, &s.Document)
	}
	return out
}

// index returns places by the subjects of changes. A former name has the place of the current one.
func index(c *evidence.Catalogs) map[string]catalog.Position {
	out := map[string]catalog.Position{}
	put := func(at catalog.Position, subject string) {
		if _, there := out[subject]; !there {
			out[subject] = at
		}
	}
	for _, s := range c.Sources {
		kind := diff.KindOf(&s.Document)
		put(s.At("spec.for"), kind)
		for i := range s.Spec.Conditions {
			t := &s.Spec.Conditions[i]
			typePath := fmt.Sprintf("spec.conditions[%d]", i)
			for _, name := range append([]string{t.Type}, t.Aliases...) {
				put(s.At(typePath+".type"), kind+"/"+name)
				for j := range t.Reasons {
					r := &t.Reasons[j]
					at := s.At(fmt.Sprintf("%s.reasons[%d].reason", typePath, j))
					for _, reason := range append([]string{r.Reason}, r.Aliases...) {
						put(at, kind+"/"+name+"="+r.Status+"/"+reason)
						put(at, kind+"/"+name+"/"+reason)
					}
				}
			}
		}
	}
	return out
}

// place returns the place of a subject, or else of its parent.
func place(places map[string]catalog.Position, subject string) (catalog.Position, bool) {
	for {
		if at, ok := places[subject]; ok {
			return at, true
		}
		cut := strings.LastIndexAny(subject, "/=")
		if cut < 0 {
			return catalog.Position{}, false
		}
		subject = subject[:cut]
	}
}

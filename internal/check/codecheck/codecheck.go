// SPDX-License-Identifier: Apache-2.0

package codecheck

import (
	"embed"
	"slices"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source"
)

//go:embed doc
var docs embed.FS

const both = evidence.Source | evidence.Catalog

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "code/undeclared-type", Title: "code writes declared types", Level: check.Error, Needs: both,
		Why: "readers of the catalog do not know the condition", Fix: "declare the type, or stop writing it", Run: sites(undeclaredType)},
	{ID: "code/undeclared-reason", Title: "code sets declared reasons", Level: check.Error, Needs: both,
		Why: "alerts and people act on the reasons that are documented", Fix: "declare the reason, or use a declared one",
		Run: sites(undeclaredReason)},
	{ID: "code/reason-status-mismatch", Title: "code sets a reason with a status that is declared for it", Level: check.Error, Needs: both,
		Why: "the condition says two things at once", Fix: "declare the cell, or correct the call", Run: sites(mismatch)},
	{ID: "code/unresolved", Title: "reasons in code can be resolved", Level: check.Warning, Needs: evidence.Source,
		Why: "a reason that is built at run time cannot be compared with a catalog", Fix: "choose among constants", Run: sites(unresolved)},
	{ID: "code/forwarded", Title: "reasons of other conditions are forwarded only where the type imports them", Level: check.Warning,
		Needs: both,
		Why:   "the set of reasons changes with every dependency", Fix: "derive the type (mirror, aggregate), or translate the reason",
		Run: sites(forwarded)},
	{ID: "code/forwarded-unsanitised", Title: "strings from outside become reasons only through a sanitiser", Level: check.Error,
		Needs: evidence.Source,
		Why:   "one character that the API server refuses loses the whole status", Fix: "map it to declared reasons", Run: sites(unsanitised)},
	{ID: "code/constant-drift", Title: "constants have the value that the catalog declares", Level: check.Error, Needs: both,
		Why: "name and value tell different stories", Fix: "use the generated constant", Run: drift},
	{ID: "code/dead-reason", Title: "code sets every declared reason", Level: check.Warning, Needs: both,
		Why: "clients wait for a reason that never comes", Fix: "remove it, or retire it", Run: dead},
	{ID: "code/deprecated-use", Title: "code uses no former name", Level: check.Warning, Needs: both,
		Why: "the name is to disappear", Fix: "use the new name", Run: sites(deprecated)},
	{ID: "code/switch", Title: "a switch over the cells of a type has a case for each", Level: check.Error, Needs: evidence.Source,
		Why: "a reason that is added to the catalog later falls through unnoticed", Fix: "add the cases, or a default",
		Run: facts(source.FactSwitch, "the switch has no case for %s")},
	{ID: "code/append", Title: "conditions are set, not appended", Level: check.Error, Needs: evidence.Source,
		Why: "each pass adds another entry of the type", Fix: "use a helper that replaces the entry",
		Run: facts(source.FactAppend, "a condition is appended to %s")},
	{ID: "code/manual-transition-time", Title: "lastTransitionTime is not now at every write", Level: check.Warning, Needs: evidence.Source,
		Why: "each write differs from the one before, and triggers the next", Fix: "compare the status with the stored one, or use a helper " +
			"that does",
		Run: facts(source.FactManualTime, "lastTransitionTime is %s, whether the status changed or not")},
	{ID: "code/generation-constant", Title: "observedGeneration is the one of the object", Level: check.Error, Needs: evidence.Source,
		Why: "readers cannot tell which spec the condition is about", Fix: "use the generation that was read with the spec",
		Run: facts(source.FactGenerationConstant, "observedGeneration is always %s")},
	{ID: "code/message-unbounded", Title: "messages have a bound", Level: check.Warning, Needs: evidence.Source,
		Why: "beyond 32768 bytes the API server refuses the whole status", Fix: "cut the list, and say how many were left out",
		Run: facts(source.FactUnboundedMessage, "the message is made by %s of any number of parts")},
	{ID: "code/partial-list-apply", Title: "an apply or patch of some conditions goes to a list keyed by type", Level: check.Error,
		Needs: evidence.Source,
		Why:   "it replaces the whole list: two writers erase each other's conditions", Fix: "key the list by type and use server-side " +
			"apply, or " +
			"send the full list", Run: partial},
})

// sites runs a function for each site.
func sites(do func(*check.Pass, *source.Site)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, scan := range p.Source {
			for _, s := range scan.Sites {
				p.Subject()
				do(p, s)
			}
		}
	}
}

// facts reports facts of one sort.
func facts(what, format string) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, scan := range p.Source {
			for _, f := range scan.Facts {
				if f.What == what {
					p.Report(f.Position, f.In, format, f.Text)
				}
			}
		}
	}
}

// kindsOf returns the kinds that a site can be about: those with the name of a type at hand, or else every checked one.
func kindsOf(p *check.Pass, names []string) []*catalog.Kind {
	all := slices.DeleteFunc(slices.Clone(p.Catalogs.Kinds), func(k *catalog.Kind) bool { return len(k.Declaration.Types) == 0 })
	named := slices.DeleteFunc(slices.Clone(all), func(k *catalog.Kind) bool { return !slices.Contains(names, k.For.Kind) })
	if len(named) > 0 {
		return named
	}
	return all
}

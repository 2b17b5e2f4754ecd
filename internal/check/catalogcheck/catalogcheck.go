// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"embed"
	"fmt"
	"path/filepath"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "catalog/parse", Title: "a catalog has only the keys and values of the format", Level: check.Error, Needs: evidence.Catalog,
		Why: "an unknown, repeated or missing key leaves something undeclared",
		Run: loader(catalog.CodeParse)},
	{ID: "catalog/consistent", Title: "names, expressions and kinds of catalogs are consistent", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "a name that leads nowhere, or an expression that does not compile, is found when the first object is judged",
		Run:   loader("")},
	{ID: "catalog/type-name", Title: "condition types are names that the API server accepts, in PascalCase", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "the API server refuses the whole status update with a bad type, and clients compare types as written",
		Run:   also(loader(catalog.CodeTypeName), types(typeName))},
	{ID: "catalog/type-suffix", Title: "positive types of Cluster API end in a word of positive meaning", Level: check.Warning,
		Needs: evidence.Catalog,
		Why:   "people read the polarity of a Cluster API condition from its name", Fix: "end the name in Ready, or in Succeeded where " +
			"the work " +
			"runs to its end",
		Run: types(typeSuffix)},
	{ID: "catalog/reason-name", Title: "reasons are names that the API server accepts, in PascalCase", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "one refused reason loses every other condition of the same write",
		Run:   also(loader(catalog.CodeReasonName), reasons(reasonName))},
	{ID: "catalog/case-collision", Title: "no two names differ only in case", Level: check.Error, Needs: evidence.Catalog,
		Why: "kubectl wait ignores case and takes the first that it meets", Fix: "rename one of them",
		Run: also(loader(catalog.CodeCase), types(caseCollision))},
	{ID: "catalog/meaning-missing", Title: "a meaning says more than the name", Level: check.Warning, Needs: evidence.Catalog,
		Why: "a person who reads the condition knows its name already", Fix: "write what is true of the object then",
		Run: also(types(typeMeaning), reasons(reasonMeaning))},
	{ID: "catalog/polarity-declared", Title: "polarity is declared, or implied by the dialect", Level: check.Error, Needs: evidence.Catalog,
		Why: "no client can tell from a name whether True is good", Fix: "add polarity: positive, negative or neutral",
		Run: types(polarityDeclared)},
	{ID: "catalog/status-cell-empty", Title: "each status that a type can have has a reason", Level: check.Error, Needs: evidence.Catalog,
		Why: "the API server refuses a status without a reason",
		Fix: "declare a reason for the status, or list the statuses of the type",
		Run: also(loader(catalog.CodeEmptyCell), types(emptyCell))},
	{ID: "catalog/reason-status", Title: "a reason goes with statuses that its type can have", Level: check.Error, Needs: evidence.Catalog,
		Why: "the cell can never occur", Run: loader(catalog.CodeReasonStatus)},
	{ID: "catalog/reason-orphan", Title: "each declared reason can occur", Level: check.Error, Needs: evidence.Catalog,
		Why: "readers of the catalog wait for a reason that never occurs", Fix: "remove it, or add a rule that sets it",
		Run: types(orphan)},
	{ID: "catalog/reason-near-duplicate", Title: "no two reasons have the same words in another order or form", Level: check.Warning,
		Needs: evidence.Catalog,
		Why:   "every reader has to match both names of one concept", Fix: "keep one of them and make the other its alias",
		Run: nearDuplicates},
	{ID: "catalog/reason-is-type", Title: "no reason has the name of a type", Level: check.Warning, Needs: evidence.Catalog,
		Why: "a reason says why; the name of a type repeats what the condition says", Fix: "name the cause",
		Run: reasons(reasonIsType)},
	{ID: "catalog/rule-oscillates", Title: "no rule of a derived type reads the stored value of the type", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "a pass takes back what the one before wrote, and the object is written without end",
		Fix:   "decide by what the condition is about, not by the condition",
		Run:   kinds(oscillates)},
	{ID: "catalog/summary-unique", Title: "a kind has at most one summary", Level: check.Error, Needs: evidence.Catalog,
		Why: "with two top-level conditions it is unclear which one to wait for", Fix: "give the role dependent or informational to one of them",
		Run: kinds(summaryUnique)},
	{ID: "catalog/summary-members", Title: "a summary names declared types that are neither neutral nor informational", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "a summary over a type that is absent or only informs says nothing", Run: also(loader(catalog.CodeSummary), kinds(summaryMembers))},
	{ID: "catalog/precedence-cycle", Title: "types of a kind that share reasons rank them alike", Level: check.Error, Needs: evidence.Catalog,
		Why: "when both causes hold, the types of one object name different ones", Fix: "list the shared reasons in one order everywhere",
		Run: kinds(precedence)},
	{ID: "catalog/alias-valid", Title: "a name or alias has one meaning", Level: check.Error, Needs: evidence.Catalog,
		Why: "an alias that is the name of something else is read as that", Fix: "drop the alias",
		Run: also(loader(catalog.CodeAlias), loader(catalog.CodeDeprecation), reasons(aliasValid))},
	{ID: "catalog/deprecated-needs-date", Title: "a deprecation says since when and until when", Level: check.Warning, Needs: evidence.Catalog,
		Why: "without a date users do not know how long they have to move", Fix: "write since and earliestRemoval",
		Run: types(dated)},
	{ID: "catalog/foreign-writer-declared", Title: "another writer of a condition is named, with reasons that are declared", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "two writers that do not know of each other overwrite each other's entries", Fix: "name the kind or the field manager, and " +
			"declare its reasons",
		Run: loader(catalog.CodeWriter)},
	{ID: "catalog/direct-dependents", Title: "conditions of Cluster API are derived from direct dependents", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "a controller must only evaluate the object that it reconciles and the objects that it references directly",
		Fix:   "derive it from the objects that self owns or names",
		Run:   kinds(directDependents)},
	{ID: "catalog/relation-scans", Title: "no relation opens every pod of the cluster", Level: check.Error, Needs: evidence.Catalog,
		Why: "one object that is judged would decode all pods, at each change",
		Fix: "name the objects by ref or refBy, select them by a label, or compare a value of theirs with one of self",
		Run: kinds(scans)},
	{ID: "catalog/exclusive-groups", Title: "a group of exclusive types has at least two declared types", Level: check.Error,
		Needs: evidence.Catalog,
		Why:   "a group that names an unknown type excludes nothing", Run: loader(catalog.CodeExclusive)},
	{ID: "catalog/message-contract", Title: "a message has at most one place for the text of a call", Level: check.Error, Needs: evidence.Catalog,
		Why: "generated code could not format it", Run: loader(catalog.CodeMessage)},
	{ID: "catalog/reserved-used", Title: "a retired name is not used again", Level: check.Error, Needs: evidence.Catalog,
		Why: "old clients still act on the old meaning", Fix: "choose a new name",
		Run: loader(catalog.CodeReserved)},
	{ID: "catalog/profile-conflict", Title: "declarations keep to the dialect", Level: check.Error, Needs: evidence.Catalog,
		Why: "clients of the dialect read what is declared differently", Run: also(loader(catalog.CodeProfile), kinds(profileConflict))},
	{ID: "catalog/yaml-boolean", Title: "no unquoted word is a boolean in YAML 1.1", Level: check.Error, Needs: evidence.Catalog,
		Why: "the API server and kubectl read it as true or false, and refuse the object or match nothing", Fix: "put it in quotes",
		Run: yamlBoolean},
	{ID: "catalog/current-single-word", Title: "Current rests on more than one word", Level: check.Info, Needs: evidence.Catalog,
		Why: "a phase is often older than the spec, and stays good while conditions are not", Fix: "also read a generation, a count or a " +
			"condition",
		Run: currentSingleWord},
})

// loader reports the errors of the loader with a code.
func loader(code catalog.Code) func(*check.Pass) {
	return func(p *check.Pass) {
		for range p.Catalogs.Sources {
			p.Subject()
		}
		for _, e := range p.Catalogs.Errors {
			if e.Code == code {
				p.Report(e.Position, filepath.Base(e.Position.File)+" "+e.Path, "%s", e.Message).At(e.Path).Try("%s", e.Suggestion)
			}
		}
	}
}

// also runs several functions in one check.
func also(runs ...func(*check.Pass)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, run := range runs {
			run(p)
		}
	}
}

// kinds runs a function for each kind.
func kinds(do func(*check.Pass, *catalog.Kind)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, k := range p.Catalogs.Kinds {
			p.Subject()
			do(p, k)
		}
	}
}

// typeOf is a declared type with its place.
type typeOf struct {
	kind *catalog.Kind
	*catalog.Condition
	index int
}

func (t typeOf) path(field string) string {
	return fmt.Sprintf("spec.conditions[%d]%s", t.index, field)
}

func (t typeOf) at(field string) catalog.Position { return t.kind.Source.At(t.path(field)) }

func (t typeOf) subject() string { return t.kind.For.String() + "/" + t.Type }

// types runs a function for each declared type.
func types(do func(*check.Pass, typeOf)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, k := range p.Catalogs.Kinds {
			for i := range k.Source.Spec.Conditions {
				p.Subject()
				do(p, typeOf{k, &k.Source.Spec.Conditions[i], i})
			}
		}
	}
}

// reasonOf is a declared cell with its place.
type reasonOf struct {
	typeOf
	*catalog.Reason
	index int
}

func (r reasonOf) path(field string) string {
	return r.typeOf.path(fmt.Sprintf(".reasons[%d]%s", r.index, field))
}

func (r reasonOf) at(field string) catalog.Position { return r.kind.Source.At(r.path(field)) }

func (r reasonOf) subject() string {
	return r.typeOf.subject() + "=" + r.Status + "/" + r.Reason.Reason
}

// reasons runs a function for each declared cell.
func reasons(do func(*check.Pass, reasonOf)) func(*check.Pass) {
	return types(func(p *check.Pass, t typeOf) {
		for i := range t.Reasons {
			p.Subject()
			do(p, reasonOf{t, &t.Reasons[i], i})
		}
	})
}

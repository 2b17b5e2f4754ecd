// SPDX-License-Identifier: Apache-2.0

package catalogcheck

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"go.yaml.in/yaml/v3"
)

func typeName(p *check.Pass, t typeOf) {
	name := t.Type[strings.LastIndexByte(t.Type, '/')+1:]
	if wire.ValidType(t.Type) && !english.IsPascal(name) {
		p.Report(t.at(".type"), t.subject(), "condition type %q is not written in PascalCase", t.Type).At(t.path(".type")).As(check.Warning).
			Try("by convention types begin with a capital and have letters and digits only")
	}
}

// goodSuffixes are the words that a positive type of dialect capi-v1beta1 may end in: the two that its document asks for, and others of
// positive meaning.
var goodSuffixes = []string{"Ready", "Succeeded", "Completed", "Healthy", "Available", "Provisioned", "Allowed", "Attached", "Established",
	"Installed", "Valid", "Initialized",
	"Created", "Applied", "Reconciled", "Running", "UpToDate"}

func typeSuffix(p *check.Pass, t typeOf) {
	d := &t.kind.Declaration.Types[t.index]
	if t.kind.Dialect != conditions.DialectCAPIv1beta1 || d.Polarity != conditions.Positive ||
		slices.ContainsFunc(goodSuffixes, func(s string) bool { return strings.HasSuffix(t.Type, s) }) {
		return
	}
	p.Report(t.at(".type"), t.subject(), "positive condition type %s does not end in a word of positive meaning", t.Type).At(t.path(".type"))
}

func reasonName(p *check.Pass, r reasonOf) {
	if name := r.Reason.Reason; name != "" && wire.ValidReason(name) && !english.IsPascal(name) {
		p.Report(r.at(".reason"), r.subject(), "reason %q is not written in PascalCase", name).At(r.path(".reason")).As(check.Warning).
			Try("by convention reasons begin with a capital and have letters and digits only")
	}
}

func caseCollision(p *check.Pass, t typeOf) {
	for i := range t.Reasons {
		for j := range i {
			a, b := t.Reasons[j].Reason, t.Reasons[i].Reason
			if a != b && strings.EqualFold(a, b) {
				r := reasonOf{t, &t.Reasons[i], i}
				p.Report(r.at(".reason"), r.subject(), "reasons %q and %q of %s differ only in case", a, b, t.Type).At(r.path(".reason"))
			}
		}
	}
}

func repeats(meaning, name string) bool {
	said := english.Words(meaning)
	said = slices.DeleteFunc(said, func(w string) bool { return slices.Contains([]string{"the", "is", "a", "an", "it", "are", "was"}, w) })
	return strings.Join(said, "") == strings.Join(english.Words(name), "")
}

func typeMeaning(p *check.Pass, t typeOf) {
	if repeats(t.Meaning, t.Type) {
		p.Report(t.at(".meaning"), t.subject(), "the meaning of %s only repeats its name", t.Type).At(t.path(".meaning"))
	}
}

func reasonMeaning(p *check.Pass, r reasonOf) {
	if r.Reason.Reason != "" && repeats(r.Reason.Meaning, r.Reason.Reason) {
		p.Report(r.at(".meaning"), r.subject(), "the meaning of reason %s only repeats its name", r.Reason.Reason).At(r.path(".meaning"))
	}
}

// nearDuplicates compares the reasons of all catalogs of one file.
func nearDuplicates(p *check.Pass) {
	type use struct {
		reasonOf
		name string
	}
	first := map[string]use{} // by file and key
	reported := map[string]bool{}
	reasons(func(p *check.Pass, r reasonOf) {
		name := r.Reason.Reason
		if name == "" {
			return
		}
		file := r.at("").File
		key := file + "\x00" + english.Key(name)
		other, known := first[key]
		if !known {
			first[key] = use{r, name}
			return
		}
		if process(name, other.name) {
			return
		}
		pair := file + "\x00" + other.name + "\x00" + name
		if other.name == name || reported[pair] || slices.Contains(r.Reason.Aliases, other.name) || slices.Contains(other.Reason.Aliases, name) {
			return
		}
		reported[pair] = true
		p.Report(r.at(".reason"), other.name+" "+name, "reasons %q and %q have the same words", other.name, name).At(r.path(".reason")).
			See(other.at(".reason"), "%q is here", other.name)
	})(p)
}

func reasonIsType(p *check.Pass, r reasonOf) {
	if t := r.kind.Type(r.Reason.Reason); t != nil && t.Name == r.Reason.Reason {
		p.Report(r.at(".reason"), r.subject(), "reason %s of %s has the name of a condition type of %s", r.Reason.Reason, r.Type,
			r.kind.For.String()).At(r.path(".reason"))
	}
}

func aliasValid(p *check.Pass, r reasonOf) {
	for _, alias := range r.Reason.Aliases {
		for j := range r.Reasons {
			if other := &r.Reasons[j]; other.Reason == alias && other.Status != r.Status {
				p.Report(r.at(".aliases"), r.subject()+" "+alias, "alias %q of %s is the reason of %s=%s", alias, r.Reason.Reason, r.Type,
					other.Status).
					At(r.path(".aliases"))
			}
		}
	}
}

func summaryUnique(p *check.Pass, k *catalog.Kind) {
	var found []string
	for i := range k.Declaration.Types {
		if t := &k.Declaration.Types[i]; t.Role == conditions.RoleSummary {
			found = append(found, t.Name)
		}
	}
	// In Cluster API v1beta2 a Machine has Ready and Available.
	if len(found) > 1 && (k.Dialect != conditions.DialectCAPIv1beta2 || len(found) > 2) {
		p.Report(k.Source.At("spec.conditions"), k.For.String(), "%s has %d summaries: %s", k.For.String(), len(found),
			strings.Join(found, ", ")).At("spec.conditions")
	}
}

// process reports whether one name is a process and the other its end, as Creating and Created.
func process(a, b string) bool {
	return strings.HasSuffix(a, "ing") != strings.HasSuffix(b, "ing") && strings.HasSuffix(a, "ed") != strings.HasSuffix(b, "ed")
}

// booleans lists the words that YAML 1.1 reads as true or false and YAML 1.2 as text.
var booleans = []string{"y", "yes", "on", "n", "no", "off"}

func yamlBoolean(p *check.Pass) {
	for _, file := range slices.Sorted(maps.Keys(p.Catalogs.Files)) {
		p.Subject()
		for d := yaml.NewDecoder(bytes.NewReader(p.Catalogs.Files[file])); ; {
			var root yaml.Node
			if err := d.Decode(&root); errors.Is(err, io.EOF) || err != nil {
				break // catalog/parse reports what cannot be read
			}
			plain(&root, 0, func(n *yaml.Node) {
				p.Report(catalog.Position{File: file, Line: n.Line, Column: n.Column}, file+" "+n.Value, "%s is a boolean for YAML 1.1", n.Value).
					Try("write it in quotes: %q", n.Value)
			})
		}
	}
}

// plain calls do for every word without quotes that is a boolean in YAML 1.1 and not in 1.2.
func plain(n *yaml.Node, depth int, do func(*yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() == "!!str" && slices.Contains(booleans, strings.ToLower(n.Value)) &&
		(n.Value == strings.ToLower(n.Value) || n.Value == strings.ToUpper(n.Value) || n.Value[1:] == strings.ToLower(n.Value[1:])) {
		do(n)
	}
	if depth > 1000 {
		return
	}
	for _, c := range n.Content { // an alias has no content of its own
		plain(c, depth+1, do)
	}
}

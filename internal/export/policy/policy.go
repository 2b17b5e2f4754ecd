// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/export"
)

// Options are the choices of a user.
type Options struct {
	Deny     bool     // refuse instead of warning and auditing
	Exempt   []string // users whose writes are not looked at
	Writers  []string // the only users that may write the status; none: anybody
	Resource string   // of the kind; without one, from the name of its catalog
}

// validation is one rule.
type validation struct {
	Expression        string `yaml:"expression"`
	Message           string `yaml:"message"`
	MessageExpression string `yaml:"messageExpression,omitempty"`
}

type named struct {
	Name       string `yaml:"name"`
	Expression string `yaml:"expression"`
}

// Generate returns a policy with its binding for each catalog of the kinds.
func Generate(subjects []*export.Subject, o Options) (*export.Product, error) {
	p := &export.Product{}
	for _, s := range subjects {
		resource, sure := s.Resource()
		if o.Resource != "" {
			resource, sure = o.Resource, true
		}
		if s.For.Group == "" && (resource == "pods" || resource == "nodes") {
			return nil, fmt.Errorf("%s are written too often for a policy on their status", resource)
		}
		for i, k := range s.Kinds {
			differ := func(id, where, why string) { p.Differ(s, id, where, why) }
			switch {
			case k.AtRead:
				differ("read-only", "", "the conditions are computed when an object is read, and no write has them")
				continue
			case strings.Contains(k.At.String(), "[*]"):
				differ("nested-list", "", "a rule for each list of a list would be beyond what an expression may cost")
				continue
			case len(k.Declaration.Types) == 0:
				differ("verdict-rules", "", "no conditions are declared")
				continue
			}
			if !sure {
				return nil, fmt.Errorf("the resource of %s is not known: name it with --resource", s.Name())
			}
			p.Include(s)
			name := "conditions." + resource + "." + s.For.Group
			if i > 0 {
				name += "." + k.Versions[0]
			}
			data, err := documents(strings.TrimSuffix(name, "."), s, k, resource, o, differ)
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, export.File{Name: strings.TrimSuffix(name, ".") + ".yaml", Data: data})
		}
	}
	if o.Deny {
		p.Notes = append(p.Notes, "a controller whose write is refused repeats it for ever: let the policy warn first")
	}
	return p, nil
}

// documents returns the policy and its binding.
func documents(name string, s *export.Subject, k *catalog.Kind, resource string, o Options, differ func(id, where, why string)) ([]byte,
	error) {
	versions := k.Versions
	if len(versions) == 0 {
		versions = []string{"*"}
	}
	metadata := map[string]any{"name": name}
	spec := struct {
		FailurePolicy    string         `yaml:"failurePolicy"`
		MatchConstraints map[string]any `yaml:"matchConstraints"`
		MatchConditions  []named        `yaml:"matchConditions,omitempty"`
		Variables        []named        `yaml:"variables"`
		Validations      []validation   `yaml:"validations"`
	}{FailurePolicy: "Ignore", Variables: variables(k), Validations: validations(k, differ),
		MatchConstraints: map[string]any{"resourceRules": []map[string]any{{"apiGroups": []string{s.For.Group}, "apiVersions": versions,
			"operations": []string{"UPDATE"},
			"resources":  []string{resource + "/status"}}}}}
	if len(o.Exempt) > 0 {
		spec.MatchConditions = []named{{"exempt-users", "!(request.userInfo.username in " + list(o.Exempt) + ")"}}
	}
	if len(o.Writers) > 0 {
		spec.Validations = append(spec.Validations, validation{"request.userInfo.username in " + list(o.Writers),
			"the status is written by a foreign user",
			"'the status is written by ' + request.userInfo.username"})
	}
	actions := []string{"Warn", "Audit"}
	if o.Deny {
		actions = []string{"Deny"}
	}
	const version = "admissionregistration.k8s.io/v1"
	type document struct {
		APIVersion string         `yaml:"apiVersion"`
		Kind       string         `yaml:"kind"`
		Metadata   map[string]any `yaml:"metadata"`
		Spec       any            `yaml:"spec"`
	}
	return export.Ordered("policy", document{version, "ValidatingAdmissionPolicy", metadata, spec},
		document{version, "ValidatingAdmissionPolicyBinding", metadata, map[string]any{"policyName": name, "validationActions": actions}})
}

// variables are the lists of the new and the old object, and the conditions that a write changes.
func variables(k *catalog.Kind) []named {
	at := func(object string) string {
		path, guard := object, []string{}
		for _, name := range k.Path {
			path += "." + name
			guard = append(guard, "has("+path+")")
		}
		return strings.Join(guard, " && ") + " ? " + path + " : []"
	}
	return []named{{"now", at("object")}, {"before", at("oldObject")}, {"changed", "variables.now.filter(c, !(c in variables.before))"}}
}

// reason is the reason of a condition, which some dialects leave out.
const reason = "(has(c.reason) ? c.reason : '')"

// validations returns the rules.
func validations(k *catalog.Kind, differ func(id, where, why string)) []validation {
	var known, always []string
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		known = append(known, append([]string{t.Name}, t.Aliases...)...)
		if t.Presence == conditions.PresenceAlways && !t.Optional {
			always = append(always, t.Name)
		}
	}
	out := []validation{
		{"variables.changed.all(c, c.type in " + list(known) + ")", "a condition has a type that the catalog does not declare",
			"'not declared: condition ' + variables.changed.filter(c, !(c.type in " + list(known) + ")).map(c, c.type).join(', ')"},
		{"variables.now.all(c, variables.now.exists_one(d, d.type == c.type))", "a condition is in the list twice", ""},
	}
	if len(always) > 0 {
		out = append(out, validation{"variables.now.size() == 0 || " + list(always) + ".all(t, variables.now.exists(c, c.type == t) || " +
			"!variables.before.exists(c, c.type == t))",
			"a condition that is always present was removed", ""})
	}
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		written, closed := k.Cells(t)
		switch {
		case len(t.Reasons) == 0:
			differ("no-reasons", t.Name, "no reasons are declared, so every cell passes")
		case !closed:
			differ("open-reasons", t.Name, "reasons are forwarded or not all declared, so every cell passes")
		default:
			var cells []string
			for _, r := range written {
				for _, name := range append([]string{r.Name}, r.Aliases...) {
					cells = append(cells, string(r.Status)+"/"+name)
				}
			}
			of := func(cells string) string {
				return "c.type == " + quote(t.Name) + " && !((c.status + '/' + " + reason + ") in " + cells + ")"
			}
			out = append(out, validation{"!variables.changed.exists(c, " + of(list(cells)) + ")", "condition " + t.Name +
				" has a status and reason that the catalog does not declare together",
				"'condition " + t.Name + " is not declared as ' + variables.changed.filter(c, " + of(list(cells)) + ").map(c, c.status + '/' + " +
					reason + ").join(', ')"})
		}
		if final := map[conditions.Lifecycle]string{conditions.LifecycleMonotonic: "'True'", conditions.LifecycleTerminal: "'True'",
			conditions.LifecycleCompletion: "'True', 'False'"}[t.Lifecycle]; final != "" {
			of := "c.type == " + quote(t.Name)
			out = append(out, validation{"!variables.before.exists(c, " + of + " && c.status in [" + final +
				"] && !variables.now.exists(d, d.type == c.type && d.status == c.status))",
				"condition " + t.Name + " is " + string(t.Lifecycle) + " and left the status that it keeps", ""})
		}
	}
	if k.Dialect != conditions.DialectKnative && k.Dialect != conditions.DialectCAPIv1beta1 && !moves(k) {
		out = append(out, validation{"!variables.changed.exists(c, has(c.lastTransitionTime) && variables.before.exists(d, d.type == c.type && " +
			"d.status == c.status && has(d.lastTransitionTime) && d.lastTransitionTime != c.lastTransitionTime))",
			"lastTransitionTime moved although the status did not", ""})
	}
	out = append(out, validation{"!variables.changed.exists(c, has(c.observedGeneration) && c.observedGeneration > " +
		"object.metadata.generation)",
		"a condition is about a generation that does not exist yet", ""},
		validation{"!variables.changed.exists(c, has(c.observedGeneration) && variables.before.exists(d, d.type == c.type && " +
			"has(d.observedGeneration) && d.observedGeneration > c.observedGeneration))",
			"the observed generation of a condition went back", ""})
	return out
}

// moves reports whether other changes than those of the status move the time of a condition.
func moves(k *catalog.Kind) bool {
	for _, c := range k.Source.Spec.Conditions {
		if c.Run != "" {
			return true
		}
	}
	return false
}

// list returns a list of strings in CEL.
func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote returns a string in CEL.
func quote(word string) string { return strconv.Quote(word) }

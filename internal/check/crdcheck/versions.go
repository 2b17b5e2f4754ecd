// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var (
	groupName   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`)
	versionName = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

func apiVersion(p *check.Pass, d *evidence.Definition) {
	subject := d.GroupKind().String()
	if !groupName.MatchString(d.Spec.Group) {
		p.Report(d.At("spec", "group"), subject, "group %q is not a DNS name with a dot", d.Spec.Group)
	}
	if len(d.Spec.Versions) == 0 {
		p.Report(d.At("spec"), subject, "%s has no versions", subject)
	}
	for i, v := range d.Spec.Versions {
		if !versionName.MatchString(v.Name) {
			p.Report(d.At("spec", "versions", i, "name"), subject+"/"+v.Name, "version %q is not a valid name", v.Name)
		}
	}
}

// anyArray checks criterion C3: some version has an array called conditions anywhere in its status.
func anyArray(p *check.Pass, d *evidence.Definition) {
	if configuration(p, d) || open(d) != nil {
		return
	}
	for _, v := range d.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		if status, ok := v.Schema.OpenAPIV3Schema.Properties["status"]; ok && hasArray(&status, 0) {
			return
		}
	}
	p.Report(d.At("spec", "versions"), d.GroupKind().String(), "no version of %s declares an array of conditions", d.GroupKind().String())
}

// configuration reports whether a kind is only configuration: no catalog declares it, and no version has a status.
func configuration(p *check.Pass, d *evidence.Definition) bool {
	return p.Set().Kind(d.GroupKind()) == nil &&
		!slices.ContainsFunc(d.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
			if v.Subresources != nil && v.Subresources.Status != nil || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
				return true
			}
			root := v.Schema.OpenAPIV3Schema
			_, status := root.Properties["status"]
			return status || keepsUnknown(root)
		})
}

// open returns the first version whose schema accepts any status without declaring conditions; nil without one.
func open(d *evidence.Definition) *apiextensions.CustomResourceDefinitionVersion {
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		status, declared := v.Schema.OpenAPIV3Schema.Properties["status"]
		if (!declared && keepsUnknown(v.Schema.OpenAPIV3Schema) || keepsUnknown(&status)) && !hasArray(&status, 0) {
			return v
		}
	}
	return nil
}

func keepsUnknown(s *apiextensions.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

func openSchema(p *check.Pass, d *evidence.Definition) {
	if v := open(d); v != nil {
		p.Report(d.At("spec", "versions"), d.GroupKind().String(), "version %s of %s accepts any status and declares no conditions", v.Name,
			d.GroupKind().String())
	}
}

func hasArray(s *apiextensions.JSONSchemaProps, depth int) bool {
	if c, ok := s.Properties["conditions"]; ok && c.Type == "array" {
		return true
	}
	if depth > 20 {
		return false
	}
	for _, child := range s.Properties {
		if hasArray(&child, depth+1) {
			return true
		}
	}
	return s.Items != nil && s.Items.Schema != nil && hasArray(s.Items.Schema, depth+1)
}

// versionsDeclared reports served versions that no catalog of the kind holds for. A catalog may name versions of older definitions.
func versionsDeclared(p *check.Pass, d *evidence.Definition) {
	kind := p.Set().Kind(d.GroupKind())
	if kind == nil {
		return
	}
	for i, v := range d.Spec.Versions {
		if v.Served && p.Set().Of(d.GroupKind().WithVersion(v.Name)) == nil {
			p.Report(d.At("spec", "versions", i, "name"), d.GroupKind().String()+"/"+v.Name, "version %s of %s is served, and its catalog is for %s",
				v.Name, d.GroupKind().String(), strings.Join(kind.Versions, ", ")).See(kind.Source.At("spec.for.versions"), "the versions of the catalog")
		}
	}
}

// versionsAgree compares the schemas of the items, descriptions aside.
func versionsAgree(p *check.Pass, d *evidence.Definition) {
	var first *list
	var form string
	for _, l := range listsOf(p, d) {
		if l.array == nil {
			continue
		}
		got := bare(l.array)
		if first == nil {
			first, form = l, got
		} else if got != form {
			p.Report(l.at(), l.subject(), "the conditions of %s have another schema than those of %s", l.version.Name, first.version.Name).
				See(first.at(), "version %s", first.version.Name)
		}
	}
}

func bare(s *apiextensions.JSONSchemaProps) string {
	copied := s.DeepCopy()
	strip(copied, 0)
	data, _ := json.Marshal(copied) // a decoded schema can be encoded
	return string(data)
}

func strip(s *apiextensions.JSONSchemaProps, depth int) {
	s.Description = ""
	if depth > 20 {
		return
	}
	for name, child := range s.Properties {
		strip(&child, depth+1)
		s.Properties[name] = child
	}
	if s.Items != nil && s.Items.Schema != nil {
		strip(s.Items.Schema, depth+1)
	}
}

var columnType = regexp.MustCompile(`conditions\[\?\(\s*@\.type\s*==\s*(?:"([^"]*)"|'([^']*)')\s*\)\](\.[A-Za-z]+)?`)

// columns returns the condition types that the columns of a version name, with the field that they show.
func columns(v *apiextensions.CustomResourceDefinitionVersion, do func(i int, conditionType, field string)) {
	for i, c := range v.AdditionalPrinterColumns {
		for _, m := range columnType.FindAllStringSubmatch(c.JSONPath, -1) {
			do(i, m[1]+m[2], strings.TrimPrefix(m[3], "."))
		}
	}
}

func printerSummary(p *check.Pass, d *evidence.Definition) {
	summary := "Ready"
	if k := p.Set().Kind(d.GroupKind()); k != nil {
		if summary = k.Summary(); summary == "" {
			return
		}
	}
	for _, l := range listsOf(p, d) {
		if l.array == nil || strings.Contains(l.path, "[*]") {
			continue
		}
		found := false
		columns(l.version, func(_ int, t, field string) { found = found || t == summary && field == "status" })
		if !found {
			p.Report(l.At("spec", "versions", l.index, "additionalPrinterColumns"), l.subject(), "no column of %s shows the status of %s",
				l.version.Name, summary).
				Try("add {name: %s, type: string, jsonPath: %s}", summary, fmt.Sprintf(".%s[?(@.type==%q)].status", l.path, summary))
		}
	}
}

func printerUnknown(p *check.Pass, d *evidence.Definition) {
	k := p.Set().Kind(d.GroupKind())
	if k == nil || len(k.Declaration.Types) == 0 {
		return
	}
	for i := range d.Spec.Versions {
		columns(&d.Spec.Versions[i], func(c int, t, _ string) {
			if k.Type(t) == nil {
				p.Report(d.At("spec", "versions", i, "additionalPrinterColumns", c, "jsonPath"), d.GroupKind().String()+"/"+d.Spec.Versions[i].Name+"/"+
					t,
					"column %s shows condition %s, which %s does not declare", d.Spec.Versions[i].AdditionalPrinterColumns[c].Name, t,
					d.GroupKind().String())
			}
		})
	}
}

// statusGeneration reports served versions without status.observedGeneration, where the catalog of the kind records the generation there.
func statusGeneration(p *check.Pass, d *evidence.Definition) {
	k := p.Set().Kind(d.GroupKind())
	if k == nil || !k.Source.Spec.InStatus() {
		return
	}
	inStatus(p, d, func(status *apiextensions.JSONSchemaProps) string {
		if g, ok := status.Properties["observedGeneration"]; !ok || g.Type != "integer" {
			return "has no observedGeneration"
		}
		return ""
	})
}

// statusWaits reports served versions whose status.waits cannot hold a wait, where the catalog of the kind stores them there.
func statusWaits(p *check.Pass, d *evidence.Definition) {
	k := p.Set().Kind(d.GroupKind())
	if k == nil || !k.Declaration.StatusWaits {
		return
	}
	inStatus(p, d, func(status *apiextensions.JSONSchemaProps) string {
		waits, ok := status.Properties["waits"]
		if !ok || waits.Type != "array" || waits.Items == nil || waits.Items.Schema == nil {
			return "has no list of waits"
		}
		if t := waits.XListType; t == nil || *t != "map" || !slices.Equal(waits.XListMapKeys, []string{"type"}) {
			return "has waits that are not a list map by type"
		}
		names := []string{"type", "reason", "since", "observedGeneration", "progress"}
		if sets(k.Declaration) {
			names = append(names, "until")
		}
		for _, name := range names {
			if _, ok := waits.Items.Schema.Properties[name]; !ok {
				return "has waits without " + name
			}
		}
		return ""
	})
}

// sets reports whether the controller sets the time of a wait of the kind, of which the end is stored.
func sets(k *conditions.Kind) bool {
	return slices.ContainsFunc(k.Types, func(t conditions.Type) bool {
		return slices.ContainsFunc(t.Reasons, func(r conditions.Reason) bool { return r.Deadline != nil && r.Deadline.After == 0 })
	})
}

// inStatus reports what a function finds in the schema of the status of each served version.
func inStatus(p *check.Pass, d *evidence.Definition, fault func(*apiextensions.JSONSchemaProps) string) {
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if !v.Served || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		status := v.Schema.OpenAPIV3Schema.Properties["status"]
		if text := fault(&status); text != "" {
			p.Report(d.At("spec", "versions", i), d.GroupKind().String()+"/"+v.Name, "the status of %s %s", v.Name, text)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/source"
)

// constant is a constant of a condition type or a reason.
type constant struct {
	source.Const
	reason bool
}

var (
	typeName   = regexp.MustCompile(`Condition(Type)?|^Type[A-Z]`)
	reasonName = regexp.MustCompile(`Reason`)
	affix      = regexp.MustCompile(`ConditionType|Condition|ConditionReason|Reason|V1Beta[12]|Type`)
)

// constantsOf returns the constants whose type or name marks them as condition types or reasons.
func constantsOf(scan *source.Scan) []constant {
	var out []constant
	for _, c := range scan.Consts {
		reason := reasonName.MatchString(c.Of) || reasonName.MatchString(c.Name) && !strings.HasSuffix(c.Of, "Type")
		conditionType := strings.HasSuffix(c.Of, "ConditionType") ||
			typeName.MatchString(c.Name) && !strings.HasSuffix(c.Of, "Status")
		if (reason || conditionType) && !strings.Contains(c.Name, "Severity") {
			out = append(out, constant{c, reason})
		}
	}
	return out
}

// explain adds the comments of constants as the meanings of types and reasons that have none.
func (d *Draft) explain(all []constant) {
	for _, c := range all {
		meaning := sentence(c.meaning())
		for _, k := range d.kinds {
			for _, t := range k.types {
				if !c.reason && t.name == c.Value && t.meaning == "" {
					t.meaning = meaning
				}
				for _, one := range t.cells {
					if c.reason && one.reason == c.Value && one.meaning == "" {
						one.meaning = meaning
					}
				}
			}
		}
	}
}

// meaning returns the first paragraph of the comment, without the name at its beginning.
func (c constant) meaning() string {
	doc, _, _ := strings.Cut(c.Doc, "\n\n")
	doc = strings.TrimPrefix(doc, c.Name+" ")
	for _, verb := range []string{"is ", "means ", "indicates ", "represents ", "documents "} {
		if rest, ok := strings.CutPrefix(doc, verb); ok {
			return strings.TrimPrefix(rest, "that ")
		}
	}
	return doc
}

// placed is a type with the words of its constant.
type placed struct {
	stem []string
	c    *condition
}

// constants adds types and reasons. A reason belongs to the type that its name begins with, else to the last type
// above it in its file. A type belongs to the kind that its name begins with, else to the first kind of the options.
func (d *Draft) constants(all []constant) {
	types := d.placeTypes(all)
	var last *placed
	file := ""
	for _, c := range all {
		if c.Position.File != file {
			last, file = nil, c.Position.File
		}
		if !c.reason {
			if i := slices.IndexFunc(types, func(p placed) bool { return p.c.name == c.Value }); i >= 0 {
				last = &types[i]
			}
			continue
		}
		if !wire.ValidReason(c.Value) {
			d.skip("%s:%d: %s is %.80q, which is no reason", c.Position.File, c.Position.Line, c.Name, c.Value)
			continue
		}
		to, guessed := last, true
		longest, words := 0, stem(c.Name)
		for i := range types {
			for _, begin := range [][]string{types[i].stem, english.Words(types[i].c.name)} { // with the kind, and without it
				if n := len(begin); n > longest && n < len(words) && slices.Equal(begin, words[:n]) {
					to, guessed, longest = &types[i], false, n
				}
			}
		}
		if to == nil {
			d.skip("%s:%d: reason %s: no condition type comes before it", c.Position.File, c.Position.Line, c.Value)
			continue
		}
		if one := to.c.cell(d, c.Value, ""); guessed {
			one.note("guessed: the last type above %s", c.Name)
		}
	}
}

// placeTypes adds the condition types among constants to their kinds.
func (d *Draft) placeTypes(all []constant) []placed {
	var types []placed
	for _, c := range all {
		if c.reason || !wire.ValidType(c.Value) {
			continue
		}
		t := d.kindOf(c).condition(d, c.Value)
		if t == nil {
			continue
		}
		if t.open == "" {
			t.open = "The source does not say on which types a reason is used: read an unknown one by the status alone."
		}
		if right := nearSuffix(c.Value); right != "" {
			t.notes = append(t.notes, "the ending looks misspelt: "+right)
		}
		types = append(types, placed{stem(c.Name), t})
	}
	return types
}

func stem(name string) []string { return english.Words(affix.ReplaceAllString(name, "")) }

// kindOf returns the kind with which the name of a constant begins, as InstanceConditionTypeReady.
func (d *Draft) kindOf(c constant) *kind {
	var found *kind
	for _, k := range d.kinds {
		if strings.HasPrefix(c.Name, k.name) && (found == nil || len(k.name) > len(found.name)) {
			found = k
		}
	}
	if found != nil {
		return found
	}
	note := "the kind was not found: name it with --kinds"
	name, _, named := strings.Cut(c.Name, "ConditionType")
	if named = named && name != "" && strings.ToUpper(name[:1]) == name[:1]; named {
		note = "guessed from the name of " + c.Name
	} else if own := d.ownKind(); own != nil {
		return own
	} else {
		name = "Kind"
	}
	if found = d.kind("", name); found != nil && len(found.types) == 0 {
		found.notes = append(found.notes, note)
	}
	return found
}

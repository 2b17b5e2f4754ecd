// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// field is a field of a struct as JSON has it.
type field struct {
	name  string
	index []int
	empty bool // omitempty
	zero  bool // omitzero

	kind    reflect.Kind
	time    bool // metav1.Time or a pointer to it
	encodes bool // its type encodes itself
}

// layout is what has to be known of a Go type to compare two values of it without encoding them.
type layout struct {
	fields []field
	byName map[string]*field
	whole  bool // only its JSON has all of it: it encodes itself, or embeds a pointer
}

var layouts sync.Map // reflect.Type to *layout, of structs

var (
	encodes  = reflect.TypeFor[json.Marshaler]()
	timeType = reflect.TypeFor[metav1.Time]()
)

// layoutOf returns the layout of a struct.
func layoutOf(t reflect.Type) *layout {
	if known, ok := layouts.Load(t); ok {
		return known.(*layout)
	}
	l := &layout{byName: map[string]*field{}, whole: t.Implements(encodes) || reflect.PointerTo(t).Implements(encodes)}
	if !l.whole {
		l.add(t, nil)
	}
	for i := range l.fields {
		l.byName[l.fields[i].name] = &l.fields[i]
	}
	layouts.Store(t, l)
	return l
}

// add adds the fields of a struct, those of embedded structs in their place; an outer field hides an inner one.
func (l *layout) add(t reflect.Type, outer []int) {
	var embedded []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" && options == "":
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			embedded = append(embedded, f)
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer:
			l.whole = true
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		if slices.ContainsFunc(l.fields, func(have field) bool { return have.name == name }) {
			continue
		}
		all := strings.Split(options, ",")
		l.whole = l.whole || slices.Contains(all, "string")
		l.fields = append(l.fields, field{name: name, index: append(slices.Clone(outer), i), empty: slices.Contains(all, "omitempty"),
			zero: slices.Contains(all, "omitzero"),
			kind: f.Type.Kind(), time: f.Type == timeType || f.Type.Kind() == reflect.Pointer && f.Type.Elem() == timeType,
			encodes: f.Type.Kind() != reflect.Struct && f.Type.Kind() != reflect.Pointer && f.Type.Implements(encodes)})
	}
	for _, f := range embedded {
		l.add(f.Type, append(slices.Clone(outer), f.Index...))
	}
}

// of returns the field of a struct.
func (f *field) of(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	return v.FieldByIndex(f.index)
}

// same returns true if two values of the field, which are not absent, have the same JSON.
func (f *field) same(a, b reflect.Value) bool {
	switch {
	case f.encodes:
		return sameEncoded(a, b)
	case f.kind == reflect.String:
		return a.String() == b.String()
	case f.kind >= reflect.Int && f.kind <= reflect.Int64:
		return a.Int() == b.Int()
	case f.kind == reflect.Bool:
		return a.Bool() == b.Bool()
	}
	return sameValue(a, b)
}

// absent returns true if JSON has no such field, or null.
func (f *field) absent(v reflect.Value) bool {
	switch f.kind {
	case reflect.String:
		return (f.empty || f.zero) && v.Len() == 0
	case reflect.Pointer:
		return v.IsNil() || f.time && v.Elem().IsZero()
	case reflect.Interface:
		return v.IsNil()
	case reflect.Slice, reflect.Map:
		return v.IsNil() || f.empty && v.Len() == 0
	case reflect.Struct:
		return (f.time || f.zero) && v.IsZero() // a time encodes to null
	}
	return (f.empty || f.zero) && v.IsZero()
}

// statusOf returns the status of an object; not valid: it has none.
func statusOf(object metav1.Object) reflect.Value {
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	v = v.Elem()
	l := layoutOf(v.Type())
	f := l.byName["status"]
	if f == nil {
		return reflect.Value{}
	}
	v = f.of(v)
	if v.Kind() == reflect.Pointer {
		v = v.Elem() // of nil it is not valid
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v
}

// left returns true if a field of a typed status is not written from it: the conditions, the waits, and what others own; and the observed
// generation, where the status has none and a write adds it.
func (t Target) left(name string, value reflect.Value) bool {
	switch {
	case name == t.Path[len(t.Path)-1] && len(t.Path) == 2:
		return true
	case t.Own == nil:
	case name == waitsField && t.Own.StatusWaits, name == generationField && t.Own.StatusGeneration && value.IsZero():
		return true
	}
	return slices.Contains(t.Foreign, name)
}

// differs returns true if an object has another status than a typed one, or is behind in its observed generation.
func (t Target) differs(object metav1.Object, status any) bool {
	wanted, stored := reflect.ValueOf(status).Elem(), statusOf(object)
	l := layoutOf(wanted.Type())
	if !stored.IsValid() || l.whole || layoutOf(stored.Type()).whole {
		fields, err := t.typed(status)
		return err != nil || t.behind(object, fields) || fields.differ(object)
	}
	sameType, have := wanted.Type() == stored.Type(), layoutOf(stored.Type())
	for i := range l.fields {
		f := &l.fields[i]
		g, w := f, f.of(wanted)
		if t.left(f.name, w) {
			if f.name == generationField && t.behind(object, nil) {
				return true
			}
			continue
		}
		if !sameType {
			g = have.byName[f.name]
		}
		if g == nil {
			if !f.absent(w) {
				return true
			}
			continue
		}
		s := g.of(stored)
		switch {
		case f.absent(w) || g.absent(s):
			if f.absent(w) != g.absent(s) {
				return true
			}
		case !sameType && w.Type() != s.Type():
			if !sameEncoded(w, s) {
				return true
			}
		case !f.same(w, s):
			return true
		}
	}
	return l.byName[generationField] == nil && t.behind(object, nil)
}

// typed returns the fields of a typed status that a write has.
func (t Target) typed(status any) (Fields, error) {
	fields, err := FieldsOf(status, t.Foreign...)
	if err != nil {
		return nil, err
	}
	wanted := reflect.ValueOf(status).Elem()
	for _, f := range layoutOf(wanted.Type()).fields {
		if t.left(f.name, f.of(wanted)) {
			delete(fields, f.name)
		}
	}
	return fields, nil
}

// sameValue returns true if two values of one type have the same JSON.
func sameValue(a, b reflect.Value) bool {
	if t := a.Type(); t.Kind() != reflect.Struct && t.Kind() != reflect.Pointer && t.NumMethod() > 0 && t.Implements(encodes) {
		return sameEncoded(a, b)
	}
	switch a.Kind() {
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.String:
		return a.String() == b.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return a.Uint() == b.Uint()
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float()
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem())
	case reflect.Slice:
		return sameSlices(a, b)
	case reflect.Map:
		return sameMaps(a, b)
	case reflect.Struct:
		return sameStructs(a, b)
	}
	return sameEncoded(a, b)
}

func sameSlices(a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	if a.Type().Elem().Kind() == reflect.Uint8 {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	for i := range a.Len() {
		if !sameValue(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func sameMaps(a, b reflect.Value) bool {
	if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
		return false
	}
	for i := a.MapRange(); i.Next(); {
		other := b.MapIndex(i.Key())
		if !other.IsValid() || !sameValue(i.Value(), other) {
			return false
		}
	}
	return true
}

func sameStructs(a, b reflect.Value) bool {
	if a.Type() == timeType && a.CanAddr() && b.CanAddr() {
		x, y := a.Addr().Interface().(*metav1.Time), b.Addr().Interface().(*metav1.Time)
		return x.IsZero() == y.IsZero() && x.Unix() == y.Unix() // JSON has seconds
	}
	l := layoutOf(a.Type())
	if l.whole {
		return sameEncoded(a, b)
	}
	for i := range l.fields {
		f := &l.fields[i]
		x, y := f.of(a), f.of(b)
		if f.absent(x) || f.absent(y) {
			if f.absent(x) != f.absent(y) {
				return false
			}
			continue
		}
		if !f.same(x, y) {
			return false
		}
	}
	return true
}

func sameEncoded(a, b reflect.Value) bool {
	return reflect.DeepEqual(plain(addressed(a)), plain(addressed(b)))
}

// addressed returns a value for the encoder, by its address where it has one, since an encoder may be declared on the pointer.
func addressed(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return v.Interface()
}

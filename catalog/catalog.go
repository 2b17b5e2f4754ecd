// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"io/fs"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Set is the catalogs of several kinds, checked and compiled together. Make one with [Load]; the zero value has no kinds.
type Set struct {
	// Compiled is the form that packages of this module work on. Its type is internal: other modules can pass it on and nothing else.
	Compiled *catalog.Set
}

// Load reads the catalogs of files, by name. The error joins an [*Error] for each mistake; the set then has the catalogs without one.
func Load(files map[string][]byte) (*Set, error) {
	set, err := catalog.Load(files)
	return &Set{set}, translate(err)
}

// LoadFS is [Load] for every .yaml, .yml and .json file below root, or for root itself where it is a file. Hidden directories and those
// named testdata are skipped.
func LoadFS(fsys fs.FS, root string) (*Set, error) {
	files, err := catalog.ReadFS(fsys, root)
	if err != nil {
		return nil, err
	}
	return Load(files)
}

// Shipped returns the catalogs that come with Tristate, such as the catalogs of Cluster API, kars and kro.
func Shipped() (*Set, error) {
	files, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		return nil, err
	}
	set, err := catalog.LoadShipped(files)
	return &Set{set}, translate(err)
}

// Kinds returns the declared kinds, in order.
func (s *Set) Kinds() []schema.GroupKind {
	if s.Compiled == nil {
		return nil
	}
	var out []schema.GroupKind
	for _, k := range s.Compiled.Kinds() {
		out = append(out, k.For)
	}
	return out
}

// Kind returns the declaration of a kind's conditions, for [conditions.Kind.Begin]; nil for a kind without a catalog.
func (s *Set) Kind(gk schema.GroupKind) *conditions.Kind {
	if s.Compiled == nil {
		return nil
	}
	if k := s.Compiled.Kind(gk); k != nil {
		return k.Declaration
	}
	return nil
}

// Engine returns an engine that judges objects by the declarations of sets: the meaning of conditions, and rules of
// verdicts. The first set that declares a kind counts. Kinds that no set declares are judged by the rule packs that
// come with Tristate, and then by the conventions of package verdict. Packs are read when an object of their API
// group is first judged. The other fields of the engine may be set before it is used.
func Engine(sets ...*Set) *verdict.Engine {
	var compiled []*catalog.Set
	for _, s := range sets {
		if s.Compiled != nil {
			compiled = append(compiled, s.Compiled)
		}
	}
	return pack.Default(compiled...)
}

// Error is one mistake in a catalog.
type Error struct {
	File         string
	Line, Column int    // from 1; 0 where the file as a whole, or several files, are wrong
	Path         string // in the document, for example spec.conditions[2].derive.mirror.of; may be empty
	Message      string // one sentence, lower-case
	Suggestion   string // what to write instead; may be empty

	text string
}

// Error is "file:line:column: path: message; suggestion".
func (e *Error) Error() string { return e.text }

// translate returns the errors of a load in the public form.
func translate(err error) error {
	var many catalog.Errors
	if !errors.As(err, &many) {
		return err
	}
	out := make([]error, len(many))
	for i, e := range many {
		out[i] = &Error{File: e.Position.File, Line: e.Position.Line, Column: e.Position.Column, Path: e.Path, Message: e.Message,
			Suggestion: e.Suggestion,
			text:       e.Error()}
	}
	return errors.Join(out...)
}

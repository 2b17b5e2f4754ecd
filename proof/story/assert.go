// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
)

// expect asserts a condition.
func (r *Runner) expect(ctx context.Context, id relation.ID, e Expect) error {
	object, err := r.World.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return failf("%s does not exist", e.Ref)
	}
	if err != nil {
		return err
	}
	c := Find(r.World.Catalogs().Kind(id.GroupKind), object, e.Type)
	if e.Absent {
		if c != nil {
			return failf("%s has the condition %s; want none", e.Ref, describe(*c))
		}
		return nil
	}
	want := describe(e.Condition)
	if e.Message != nil {
		want += fmt.Sprintf(" %q", e.Message)
	}
	if c == nil {
		return failf("%s has no condition %s; want %s", e.Ref, e.Type, want)
	}
	if c.Status != e.Status || e.Reason != "" && c.Reason != e.Reason || e.Severity != "" && c.Severity != e.Severity ||
		e.Message != nil && !e.Message.MatchString(c.Message) {
		return failf("%s has %s; want %s", e.Ref, describe(*c), want)
	}
	return nil
}

// Find returns the condition of a type, also where it is stored under an alias, and the worst one of several lists; nil without one. kind
// may be nil.
func Find(kind *catalog.Kind, object map[string]any, conditionType string) *conditions.Condition {
	all, _ := wire.FromUnstructured(kind.List(object))
	canonical := func(name string) string {
		if kind == nil {
			return name
		}
		return kind.Canonical(name)
	}
	var found *conditions.Condition
	for i := range all {
		if canonical(all[i].Type) == canonical(conditionType) && (found == nil || all[i].Type == canonical(conditionType)) {
			found = &all[i]
		}
	}
	return found
}

// describe returns Type=Status Reason Severity "message".
func describe(c conditions.Condition) string {
	out := c.Type + "=" + string(c.Status)
	for _, s := range []string{c.Reason, string(c.Severity)} {
		if s != "" {
			out += " " + s
		}
	}
	if c.Message != "" {
		out += fmt.Sprintf(" %q", c.Message)
	}
	return out
}

func (r *Runner) gone(ctx context.Context, id relation.ID) error {
	_, err := r.World.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return failf("%s still exists", id)
}

// Build returns the tree below an object of a world, judged at the time of the world.
func Build(ctx context.Context, w World, id relation.ID) (*relation.Node, error) {
	objects, err := w.List(ctx)
	if err != nil {
		return nil, err
	}
	g := relation.New(w.Catalogs())
	for _, k := range w.Catalogs().Kinds() { // a world has all objects that there are
		g.Cover(k.For, "")
	}
	for _, o := range objects {
		g.Put(relation.FromContent(o))
		g.Cover(relation.FromContent(o).GroupKind, "")
	}
	root := relation.Build(g, id, relation.JudgeBy(pack.Default(w.Catalogs()), w.Catalogs(), w.Now()))
	if root == nil {
		return nil, fmt.Errorf("%s does not exist", id)
	}
	return root, nil
}

func (r *Runner) tree(ctx context.Context, s *Story, id relation.ID, t Tree) error {
	root, err := Build(ctx, r.World, id)
	if err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	got := trimLines(render.Plain(root))
	file := &s.archive.Files[s.file(t.File)]
	if r.Update {
		file.Data = []byte(got)
		return nil
	}
	if want := trimLines(string(file.Data)); want != got {
		return failf("the tree of %s differs from %s; want:\n%sgot:\n%s", t.Ref, t.File, want, got)
	}
	return nil
}

// trimLines removes space at the ends of lines and empty lines at the end, as an editor does.
func trimLines(s string) string {
	lines := strings.Split(strings.TrimRight(s, " \n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (r *Runner) writes(want int) error {
	total := r.World.Writes()
	got := total - r.asked
	since := r.asked
	r.asked = total
	if got == want || got < want && !r.World.Virtual() {
		return nil
	}
	return failf("%d writes%s; want %d", got, r.names(since), want)
}

func (r *Runner) quiet(ctx context.Context) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	before := r.World.Writes()
	if err := r.World.Recheck(ctx); err != nil {
		return fmt.Errorf("quiet: %w", err)
	}
	if n := r.World.Writes() - before; n > 0 {
		return failf("another pass over everything wrote %d times%s; want none", n, r.names(before))
	}
	return nil
}

// names returns the names of the objects written since then, where the world knows them.
func (r *Runner) names(since int) string {
	w, ok := r.World.(interface{ Written(since int) []relation.ID })
	if !ok {
		return ""
	}
	var names []string
	for _, id := range w.Written(since) {
		names = append(names, id.Kind+"/"+id.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

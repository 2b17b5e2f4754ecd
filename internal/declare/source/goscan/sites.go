// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"github.com/tristate/tristate/internal/declare/source"
)

// pending is a sink with its values in one function.
type pending struct {
	pos                  token.Pos
	of                   string // the condition type of a generated call, which may report several
	in                   *function
	kind, status, reason []value
	kinds                []string
}

type siteKey struct {
	pos token.Pos
	in  *function
	of  string
}

// emit adds the sites of a sink: its own place or, for a parameter, the places where its function is called. A copy has none.
func (s *scanner) emit(k sink) {
	if s.copied(k) {
		return
	}
	p := pending{pos: k.pos, in: k.in, kind: s.resolve(k.kind), status: s.resolve(k.status), reason: s.resolve(k.reason)}
	if k.kindText != "" {
		p.kind = []value{{Value: source.Value{Text: k.kindText, How: source.Constant}}}
	}
	if k.statusText != "" {
		p.status = []value{{Value: source.Value{Text: k.statusText, How: source.Constant}}}
	}
	for _, o := range k.objects {
		p.kinds = append(p.kinds, typeNames(k.pkg.TypesInfo.TypeOf(o))...)
	}
	s.spread(p, map[*function]bool{})
}

const maxWrappers = 10 // functions that pass a reason on to each other

func (s *scanner) spread(p pending, through map[*function]bool) {
	var own, passed []value
	for _, v := range p.reason {
		if v.param != nil && s.params[v.param].of == p.in && p.in != nil {
			passed = append(passed, v)
		} else {
			own = append(own, v)
		}
	}
	generated := p.in != nil && p.in.generated
	if generated {
		passed = append(passed, own...)
		own = nil
	}
	if len(passed) > 0 && len(s.callers[p.in]) == 0 && !generated { // not called here: the values that its type allows
		own = append(own, passed...)
	}
	if len(own) > 0 {
		s.site(p, own)
	}
	if len(passed) == 0 || through[p.in] || len(through) > maxWrappers {
		return
	}
	through[p.in] = true
	defer delete(through, p.in)
	for _, c := range s.callers[p.in] {
		next := pending{pos: c.expr.Pos(), in: c.in, kind: s.substitute(p.kind, p.in, c), status: s.substitute(p.status, p.in, c),
			reason: s.substitute(passed, p.in, c), kinds: slices.Clone(p.kinds), of: p.of}
		if generated && len(p.kind) == 1 {
			next.of = p.kind[0].Text
		}
		for _, v := range passed {
			if v.param == nil {
				continue
			}
			if i := s.params[v.param].index; i < len(c.expr.Args) {
				next.pos = c.expr.Args[i].Pos()
			}
		}
		for _, arg := range c.expr.Args {
			next.kinds = append(next.kinds, typeNames(c.pkg.TypesInfo.TypeOf(arg))...)
		}
		if len(next.reason) > 0 {
			s.spread(next, through)
		}
	}
}

// substitute replaces the parameters of a function by the arguments of a call.
func (s *scanner) substitute(in []value, f *function, c call) []value {
	var out []value
	for _, v := range in {
		if v.param == nil || s.params[v.param].of != f {
			out = append(out, v)
			continue
		}
		if i := s.params[v.param].index; i < len(c.expr.Args) && c.expr.Ellipsis == token.NoPos &&
			!(f.sig.Variadic() && i >= f.sig.Params().Len()-1) {
			out = append(out, s.resolve(&assigned{expr: c.expr.Args[i], result: -1, in: c.in, pkg: c.pkg})...)
		} else {
			v.How, v.param = source.Unknown, nil
			out = append(out, v)
		}
	}
	return distinct(out)
}

// site records a site, or adds to the one of the same place. Packages that were not asked for have none.
func (s *scanner) site(p pending, reason []value) {
	if !s.asked[s.fset.File(p.pos).Name()] {
		return
	}
	key := siteKey{p.pos, p.in, p.of}
	one := s.seen[key]
	if one == nil {
		one = &source.Site{Position: s.position(p.pos)}
		if p.in != nil {
			one.In = p.in.name
		}
		s.seen[key] = one
		s.scan.Sites = append(s.scan.Sites, one)
	}
	add := func(to []source.Value, from []value) []source.Value {
		for _, v := range s.closed(from) {
			if !slices.ContainsFunc(to, func(o source.Value) bool { return o.Text == v.Text && o.How == v.How && o.Expr == v.Expr }) {
				to = append(to, v.Value)
			}
		}
		return to
	}
	one.Types, one.Statuses, one.Reason = add(one.Types, p.kind), add(one.Statuses, p.status), add(one.Reason, reason)
	kinds := p.kinds
	for f := p.in; f != nil; f = f.outer {
		if recv := f.sig.Recv(); recv != nil {
			kinds = append(kinds, typeNames(recv.Type())...)
		}
		for i := range f.sig.Params().Len() {
			kinds = append(kinds, typeNames(f.sig.Params().At(i).Type())...)
		}
	}
	for _, k := range kinds {
		if !slices.Contains(one.Kinds, k) {
			one.Kinds = append(one.Kinds, k)
		}
	}
}

// closed replaces parameters of other functions by all arguments of their callers.
func (s *scanner) closed(in []value) []value {
	var out []value
	seen := map[*types.Var]bool{}
	var expand func(v value)
	expand = func(v value) {
		if v.param == nil {
			out = append(out, v)
			return
		}
		if seen[v.param] {
			return
		}
		seen[v.param] = true
		of := s.params[v.param]
		if len(s.callers[of.of]) == 0 {
			t := v.param.Type()
			v.param = nil
			if of.of.obj == nil || !of.of.obj.Exported() {
				v.How = source.Unknown
			}
			r := &resolver{scanner: s}
			out = append(out, r.enumerated([]value{v}, t)...)
			return
		}
		for _, c := range s.callers[of.of] {
			for _, next := range s.substitute([]value{v}, of.of, c) {
				expand(next)
			}
		}
	}
	for _, v := range in {
		expand(v)
	}
	return distinct(out)
}

// typeNames returns the name of the struct that a type is, points to or lists.
func typeNames(t types.Type) []string {
	for {
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Slice:
			t = u.Elem()
			continue
		case *types.Named:
			if _, ok := u.Underlying().(*types.Struct); ok {
				return []string{u.Obj().Name()}
			}
		}
		return nil
	}
}

func (s *scanner) finish() {
	slices.SortFunc(s.scan.Sites, func(a, b *source.Site) int {
		return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column))
	})
	// A wrapper without callers chooses no reason.
	s.scan.Sites = slices.DeleteFunc(s.scan.Sites, func(one *source.Site) bool {
		return !slices.ContainsFunc(one.Reason, func(v source.Value) bool { return v.How != source.Open })
	})
	slices.SortFunc(s.scan.Facts, func(a, b source.Fact) int {
		return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.What, b.What))
	})
}

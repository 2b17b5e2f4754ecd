// SPDX-License-Identifier: Apache-2.0

package graphcheck

import (
	"cmp"
	"embed"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "graph/ready-over-unready", Title: "no settled object is ready over a dependent that is not", Level: check.Error, Needs: evidence.Graph,
		Why: "the top of a hierarchy is where people look", Fix: "let the dependent count in the summary, or declare it informational",
		Run: readyOverUnready},
	{ID: "graph/mirror-stale", Title: "a mirrored condition follows its origin", Level: check.Warning, Needs: evidence.Graph,
		Why: "the copy is read instead of the origin", Fix: "watch the objects that are mirrored", Run: mirrorStale},
})

// view finds objects and those that they are related to.
type view struct {
	graph *relation.Graph
	byID  map[relation.ID]*evidence.ObjectView
}

func viewOf(p *check.Pass) *view {
	v := &view{relation.New(p.Set()), map[relation.ID]*evidence.ObjectView{}}
	for _, o := range p.Objects {
		v.graph.Put(o.Object)
		v.byID[o.ID] = o
	}
	return v
}

// related returns the objects that a derivation reads, with the type that it reads on them.
func (v *view) related(o *evidence.ObjectView, d *catalog.Derivation) (out []*evidence.ObjectView, conditionType string) {
	name := ""
	switch {
	case d.Mirror != nil:
		name, conditionType = d.Mirror.Of, cmp.Or(d.Mirror.Type, "Ready")
	case d.Merge != nil && len(d.Tolerate) == 0:
		name, conditionType = d.Merge.Of, cmp.Or(d.Merge.Type, "Ready")
	default:
		return nil, ""
	}
	for _, other := range v.graph.Related(o.Object, name) {
		if seen := v.byID[other.ID]; seen != nil {
			out = append(out, seen)
		}
	}
	return out, conditionType
}

func readyOverUnready(p *check.Pass) {
	v := viewOf(p)
	for _, o := range p.Objects {
		if o.Kind == nil || o.Phase != evidence.Settled {
			continue
		}
		p.Subject()
		top := o.Find(o.Kind.Summary())
		if top == nil || top.Status != "True" {
			continue
		}
		for _, d := range o.Kind.Derivations {
			if d.Type.Role == conditions.RoleInformational {
				continue
			}
			others, conditionType := v.related(o, d)
			for _, other := range others {
				if e := other.Find(conditionType); e != nil && e.Status != "True" && other.Phase != evidence.Deleting {
					p.Report(o.Position, o.Subject()+" "+other.Subject(), "%s is %s over %s, which has %s=%s (%s)", o.Subject(), top.Type, other.Subject(),
						e.Type, e.Status, e.Reason).
						See(other.Position, "%s", other.Subject())
				}
			}
		}
	}
}

func mirrorStale(p *check.Pass) {
	v := viewOf(p)
	for _, o := range p.Objects {
		if o.Kind == nil || o.Phase == evidence.Deleting {
			continue
		}
		for _, d := range o.Kind.Derivations {
			mine := o.Find(d.Type.Name)
			if d.Mirror == nil || mine == nil {
				continue
			}
			p.Subject()
			others, conditionType := v.related(o, d)
			if len(others) != 1 {
				continue
			}
			origin := others[0].Find(conditionType)
			if origin != nil && origin.Status != mine.Status && !origin.Time.IsZero() && p.Now.Sub(origin.Time) > p.Budget {
				p.Report(o.Position, o.Subject()+"/"+mine.Type, "%s has %s=%s, and %s has %s=%s since %s", o.Subject(), mine.Type, mine.Status,
					others[0].Subject(),
					origin.Type, origin.Status, origin.RawTime).See(others[0].Position, "%s", others[0].Subject())
			}
		}
	}
}

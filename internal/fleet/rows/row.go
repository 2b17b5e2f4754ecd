// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"
	"unique"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// Row is one object with its verdict, in little memory: strings that come up often are shared.
type Row struct {
	relation.ID
	source     *Source
	apiVersion string
	Verdict    verdict.Status
	Type       string
	Reason     string
	Severity   string
	Message    string // at most maxMessage bytes
	Confidence verdict.Confidence
	Rule       string
	labels     string // name=value, each followed by a zero byte, in order
	conditions string // type=status=reason, each followed by a zero byte, in order
	owner      relation.ID
	cause      *named
	since, due int64  // seconds; 0: none
	class      string // of the cell in the catalog; empty without one
	Ready      bool
	Overdue    bool
	Flapping   bool
}

// maxMessage is the length of the longest message in a row, in bytes.
const maxMessage = 256

// shared returns an equal string that others share.
func shared[S ~string](s S) S {
	if s == "" {
		return ""
	}
	return unique.Make(s).Value()
}

// cut shortens a text to a number of bytes, at a rune boundary.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func timeOf(seconds int64) *time.Time {
	if seconds == 0 {
		return nil
	}
	t := time.Unix(seconds, 0).UTC()
	return &t
}

// judgedRow makes the row of an object of which there is the judgement alone.
func (s *Source) judgedRow(id relation.ID, apiVersion string, j relation.Judgement) *Row {
	r := &Row{source: s, apiVersion: shared(apiVersion), Verdict: shared(j.Verdict), Type: shared(j.Type),
		Reason: shared(cut(j.Reason, maxMessage)), Severity: shared(string(j.Severity)), Message: shared(cut(j.Message, maxMessage)),
		Confidence: shared(j.Confidence()), Rule: shared(j.Rule), since: seconds(j.Since), due: seconds(j.Due),
		Ready: j.Ready, Overdue: j.Overdue}
	r.Group, r.Kind, r.Namespace, r.Name = shared(id.Group), shared(id.Kind), shared(id.Namespace), strings.Clone(id.Name)
	return r
}

// rowOf makes the row of an object.
func (s *Source) rowOf(o *relation.Object, j relation.Judgement) *Row {
	r := s.judgedRow(o.ID, o.APIVersion, j)
	r.labels, r.conditions = shared(labelsOf(o)), shared(conditionsOf(o))
	if k := s.kindOf(o); k != nil && j.Type != "" {
		if cell := k.Reason(j.Type, j.Reason, j.Status); cell != nil {
			r.class = shared(string(cell.Class))
		}
	}
	if owner, ok := controllerOf(o); ok && s.may(owner.GroupKind, owner.Namespace) {
		owner.Group, owner.Kind, owner.Namespace, owner.Name = shared(owner.Group), shared(owner.Kind), shared(owner.Namespace),
			shared(owner.Name)
		r.owner = owner
	}
	return r
}

// Fine reports whether the object is healthy, or suspended on purpose.
func (r *Row) Fine() bool {
	return r.Verdict == verdict.Current || r.Verdict == verdict.Suspended
}

// Cluster returns the name of the source.
func (r *Row) Cluster() string { return r.source.Name }

// Class returns the class of the cell that decides, or else that of the verdict: ok, progress, transient, terminal, suspended or unknown.
func (r *Row) Class() string {
	if r.class != "" {
		return r.class
	}
	switch r.Verdict {
	case verdict.Current:
		return "ok"
	case verdict.InProgress, verdict.Terminating:
		return "progress"
	case verdict.Degraded:
		return "transient"
	case verdict.Failed, verdict.NotFound:
		return "terminal"
	case verdict.Suspended:
		return "suspended"
	}
	return "unknown"
}

// rank orders rows by severity, the best first; see [relation.Judgement.Rank].
func (r *Row) rank() int { return relation.Judgement{Verdict: r.Verdict, Overdue: r.Overdue}.Rank() }

// Since returns the time since which the verdict holds; zero where it is not known.
func (r *Row) Since() time.Time {
	if r.since == 0 {
		return time.Time{}
	}
	return time.Unix(r.since, 0).UTC()
}

// sinceSource returns how the object knows since when its verdict holds, as the source of a span.
func (r *Row) sinceSource() string {
	if r.conditions == "" {
		return laneSource(history.Managed)
	}
	return laneSource(history.Written)
}

// same reports whether two rows of one object show the same.
func (r *Row) same(other *Row) bool {
	a, b := *r, *other
	a.due, b.due = 0, 0
	return a == b
}

// api returns the row as the API has it.
func (r *Row) api() api.Row {
	out := api.Row{ID: r.source.id(r.ID), Cluster: r.source.Name, Object: render.ObjectRef{APIVersion: r.apiVersion, Kind: r.Kind,
		Namespace: r.Namespace, Name: r.Name},
		Verdict: r.Verdict, Ready: r.Ready, Overdue: r.Overdue, Type: r.Type, Reason: r.Reason, Severity: r.Severity, Message: r.Message,
		Since: timeOf(r.since), Confidence: string(r.Confidence), Rule: r.Rule, Flapping: r.Flapping}
	if r.owner.Name != "" {
		out.Owner = r.source.id(r.owner)
	}
	if r.cause != nil {
		out.Cause = r.cause.key
	}
	out.StaleSince, _ = r.source.stale()
	return out
}

// byName and byProblems and byAge order rows of all sources.
func byName(a, b *Row) int {
	return cmp.Or(cmp.Compare(a.source.Name, b.source.Name), relation.Compare(a.ID, b.ID))
}

func byProblems(a, b *Row) int {
	return cmp.Or(cmp.Compare(b.rank(), a.rank()), oldest(a, b), byName(a, b))
}

func byAge(a, b *Row) int { return cmp.Or(oldest(a, b), byName(a, b)) }

// oldest orders rows by the time since when they hold, the earliest first and those without a time last.
func oldest(a, b *Row) int {
	if a.since == 0 || b.since == 0 {
		return cmp.Compare(b.since, a.since)
	}
	return cmp.Compare(a.since, b.since)
}

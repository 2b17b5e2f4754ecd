// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"strings"
	"time"

	"github.com/tristate/tristate/verdict/internal/lexicon"

	"github.com/tristate/tristate/conditions"
)

// judgement is one judgement of an object. It has no pointer into itself, so that it does not escape to the heap. It is large: a composite
// literal would be built elsewhere and copied.
type judgement struct {
	e   *Engine
	now time.Time
	v   Verdict
	subject
	serving    bool // something reports that the object serves
	wantOthers bool // the other unhealthy conditions are asked for
	others     []Complaint
}

// subject is the object that is judged, with what is known of its kind.
type subject struct {
	types                   *lexicon.TypeCache
	words                   *lexicon.Lexicon
	obj, meta, spec, status Object
	group, version, kind    string
	generation              int64 // -1 where unknown
	expect                  Expectation
}

func (j *judgement) run(e *Engine, now time.Time, obj Object) {
	j.e, j.now, j.types, j.words, j.obj = e, now, e.typesOf(), e.lexicon(), obj
	j.meta = j.obj.get("metadata")
	j.spec = j.obj.get("spec")
	j.status = j.obj.get("status")
	api := j.obj.getStr("apiVersion")
	j.version = api[strings.IndexByte(api, '/')+1:]
	j.group, j.kind = groupKind(api, j.obj)
	j.generation = -1
	if n, ok := j.meta.getNum("generation"); ok {
		j.generation = n
	}
	j.decide()
	j.future()
	if j.v.Rule == staticRule || j.v.Rule == namespaceRule && j.v.Status == Current {
		j.v.since = j.meta.getStr("creationTimestamp")
	}
	j.sinceWritten()
	j.schedule()
	j.remedies()
}

func (j *judgement) decide() {
	if d := j.meta.get("deletionTimestamp"); d.Text() != "" {
		j.terminating(d)
		return
	}
	if j.e.Packs != nil {
		if p := j.e.Packs(j.group, j.version, j.kind); p != nil {
			if v, ok := p.Judge(j.obj, j.now); ok {
				j.v = v
				if overruled := j.provisional(p, p.Counts()); !overruled && v.Status != Current {
					j.explainPack()
					j.unready()
				}
				return
			}
		}
	}
	if s := j.semantics(); s != nil {
		j.declared(s)
		j.provisional(s, false)
		return
	}
	if !j.e.Generic && j.builtin() {
		j.unready()
		return
	}
	if j.e.Expect != nil {
		j.expect = j.e.Expect(j.group, j.kind)
	}
	j.conventions()
}

// semantics returns the declaration of the kind; nil without one.
func (j *judgement) semantics() *Semantics {
	if j.e.Semantics == nil {
		return nil
	}
	return j.e.Semantics(j.group, j.version, j.kind)
}

// unready makes an unhealthy object not ready if its top-level condition is not True.
func (j *judgement) unready() {
	if !j.v.Ready || j.v.Status == Current {
		return
	}
	var c Condition
	if j.find("Ready", &c) || j.find("Available", &c) {
		j.v.Ready = c.Status == conditions.True
	}
}

// terminating names the finalizers that are left; of a namespace also why it still exists.
func (j *judgement) terminating(deletion Object) {
	j.v.answer(Terminating, FromCondition, "condition/deletion", "Deleting", text("deletion is requested"))
	j.v.since = deletion.Text()
	j.v.prove(fact{atPath, ".metadata.deletionTimestamp", "", deletion})
	finalizers := j.meta.get("finalizers")
	if n := finalizers.size(); n > 0 {
		m := message{format: deletingOne, n1: int64(n)}
		if n > 1 {
			m.format = deletingSeveral
		}
		it := finalizers.items()
		for f := (Object{}); it.more(&f); {
			if s := f.Text(); s != "" && (m.s1 == "" || s < m.s1) {
				m.s1 = s
			}
		}
		j.v.Reason, j.v.message = "FinalizersLeft", m
		j.v.prove(fact{atPath, ".metadata.finalizers", "", finalizers})
	}
	if j.kind == "Namespace" && j.group == "" {
		j.namespaceRemains()
	}
	j.deleting()
}

// deleting takes over the declared condition Deleting, which explains why a deleted object still exists.
func (j *judgement) deleting() {
	s := j.semantics()
	if s == nil || s.Types["Deleting"] == nil || s.Types["Deleting"].Role != conditions.RoleDependent {
		return
	}
	one := declared{t: s.Types["Deleting"]}
	if !j.find("Deleting", &one.Condition) || one.Message() == "" ||
		one.Status != conditions.Unknown && !one.t.Polarity.Bad(one.Status) {
		return
	}
	one.cell = one.t.cell(&one.Condition)
	since := j.v.since
	j.replaceBy(s, &one, one.text())
	j.v.since = cmp.Or(j.v.since, since)
}

// replaceBy rests the verdict on a declared condition, and adds the former evidence behind it.
func (j *judgement) replaceBy(s *Semantics, d *declared, m message) {
	was := j.v
	j.v.Reason, j.v.message, j.v.nfacts = d.Reason(), m, 0
	j.v.restOnDeclared(d)
	j.proveDeclared(s.Path, d)
	j.v.proveAgain(&was)
}

// reportedBy reads the conditions that are declared. lags reports whether the status is about an older generation.
func (j *judgement) reportedBy(s *Semantics, lags bool) reported {
	d := reported{s: s, words: j.words, generation: j.generation, lags: lags, keep: j.wantOthers}
	if s.Path == "" {
		d.list(j.status.get("conditions"), Object{})
	} else {
		d.walk(j.obj, s.Path, Object{})
	}
	return d
}

// answer sets the verdict.
func (v *Verdict) answer(s Status, c Confidence, rule, reason string, m message) {
	v.Status, v.Confidence, v.Rule, v.Reason, v.message = s, c, rule, reason, m
	v.Ready = s == Current || s == Degraded
}

// prove adds a field to the evidence while there is room.
func (v *Verdict) prove(f fact) { v.proveAt(f.at, f.a, f.b, f.n) }

// proveAt is prove without a copy of the fact: most judgements need it once or twice.
func (v *Verdict) proveAt(at pathKind, a, b string, n Object) {
	if int(v.nfacts) < maxProofs {
		f := &v.facts[v.nfacts]
		f.at, f.a, f.b, f.n = at, a, b, n
		v.nfacts++
	}
}

// proveAgain adds the facts of another verdict behind its own.
func (v *Verdict) proveAgain(was *Verdict) {
	for _, f := range was.facts[:was.nfacts] {
		v.prove(f)
	}
}

// proveStatus adds a field of the status.
func (j *judgement) proveStatus(field string) {
	j.v.proveAt(atStatus, field, "", j.status.get(field))
}

// proveSpec adds a field of the spec.
func (j *judgement) proveSpec(field string) {
	j.v.prove(fact{atSpec, field, "", j.spec.get(field)})
}

// proveCondition adds the status of a condition, and its last transition if the verdict has no time yet.
func (v *Verdict) proveCondition(c *Condition) {
	v.proveAt(atCondition, c.Type, "status", c.n.get("status"))
	if v.since == "" {
		v.since = c.n.getStr("lastTransitionTime")
	}
}

// groupKind returns the group of an apiVersion and the kind; both are empty if the apiVersion has more than two parts.
func groupKind(api string, obj Object) (group, kind string) {
	slash := strings.IndexByte(api, '/')
	if strings.IndexByte(api[slash+1:], '/') >= 0 {
		return "", ""
	}
	return api[:max(slash, 0)], obj.getStr("kind")
}

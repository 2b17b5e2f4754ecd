// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// judge is one judgement. It lives on the stack: it holds no pointer of its own, so that the compiler
// sees that nothing on the stack gets away. It is large: a composite literal would be made elsewhere and copied.
type judge struct {
	e   *Engine
	now time.Time
	v   Verdict
	subject
	serving bool // something says that the object serves
	collect bool // the other bad conditions are asked for
	others  []Complaint
}

// subject is the object that is judged, and what is known of its kind.
type subject struct {
	types                   *typeCache
	words                   *lexicon
	obj, meta, spec, status node
	group, version, kind    string
	generation              int64 // -1 where unknown
	expect                  Expectation
}

func (j *judge) run(e *Engine, now time.Time, obj node) {
	j.e, j.now, j.types, j.words, j.obj = e, now, e.typesOf(), e.lexicon(), obj
	j.meta = j.obj.get("metadata")
	j.spec = j.obj.get("spec")
	j.status = j.obj.get("status")
	api := j.obj.getStr("apiVersion")
	slash := strings.IndexByte(api, '/')
	j.version = api[slash+1:]
	if strings.IndexByte(j.version, '/') < 0 {
		j.group, j.kind = api[:max(slash, 0)], j.obj.getStr("kind")
	}
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
	j.remedies()
}

func (j *judge) decide() {
	if j.meta.getStr("deletionTimestamp") != "" {
		j.terminating(j.meta.get("deletionTimestamp"))
		return
	}
	if j.e.Packs != nil {
		if p := j.e.Packs(j.group, j.version, j.kind); p != nil {
			if v, ok := p.Judge(Object{j.obj}, j.now); ok {
				j.v = v
				if v.Status != Current {
					j.explainPack()
					j.unready()
				}
				j.provisional(p, p.Counts())
				return
			}
		}
	}
	if j.e.Semantics != nil {
		if s := j.e.Semantics(j.group, j.version, j.kind); s != nil {
			j.catalog(s)
			return
		}
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

// unready keeps an object that is bad, and whose top-level condition is not True, from being called ready.
func (j *judge) unready() {
	if !j.v.Ready || j.v.Status == Current {
		return
	}
	var c cond
	if j.find("Ready", &c) || j.find("Available", &c) {
		j.v.Ready = c.status == isTrueWord
	}
}

// terminating names the finalizers that are left; for a namespace also what keeps it.
func (j *judge) terminating(d node) {
	v := &j.v
	v.Status, v.Reason, v.Rule, v.Confidence = Terminating, "Deleting", "condition/deletion", FromCondition
	v.since = d.str()
	fin := j.meta.get("finalizers")
	m := message{wording: deleting, n1: int64(fin.size())}
	it := fin.items()
	for f := (node{}); it.more(&f); {
		if s := f.str(); s != "" && (m.s1 == "" || s < m.s1) {
			m.s1 = s
		}
	}
	v.message = m
	j.prove(atPath, ".metadata.deletionTimestamp", "", d)
	if m.n1 > 0 {
		v.Reason = "FinalizersLeft"
		j.prove(atPath, ".metadata.finalizers", "", fin)
	}
	if j.kind == "Namespace" && j.group == "" {
		j.namespaceLeft()
	}
	j.deleting()
}

// deleting takes over what a declared condition Deleting says about what is waited for.
func (j *judge) deleting() {
	if j.e.Semantics == nil {
		return
	}
	s := j.e.Semantics(j.group, j.version, j.kind)
	if s == nil || s.Types["Deleting"] == nil || s.Types["Deleting"].Role != conditions.RoleDependent {
		return
	}
	one := declared{t: s.Types["Deleting"]}
	if !j.find("Deleting", &one.cond) || one.message() == "" || one.t.Polarity.Good(conditions.Status(one.status)) {
		return
	}
	one.cell = one.t.cell(&one.cond)
	was := j.v
	j.v.Reason, j.v.message, j.v.nfacts = one.reason(), one.text(), 0
	j.v.by(&one)
	j.v.since = cmp.Or(j.v.since, was.since)
	j.proveDeclared(s.Path, &one)
	j.v.proveAgain(&was)
}

func (j *judge) answer(s Status, c Confidence, rule, reason string, m message) {
	j.v.answer(s, c, rule, reason, m)
}

func (j *judge) prove(at place, a, b string, n node) { j.v.prove(at, a, b, n) }

func (j *judge) proveCondition(c *cond) { j.v.proveCondition(c) }

// reportedBy reads the conditions that are declared. lags says that the status is about an older generation.
func (j *judge) reportedBy(s *Semantics, lags bool) reported {
	d := reported{s: s, words: j.words, generation: j.generation, lags: lags, keep: j.collect}
	if s.Path == "" {
		d.list(j.status.get("conditions"), node{})
	} else {
		d.walk(j.obj, s.Path, node{})
	}
	return d
}

// answer sets the verdict.
func (v *Verdict) answer(s Status, c Confidence, rule, reason string, m message) {
	v.Status, v.Confidence, v.Rule, v.Reason, v.message = s, c, rule, reason, m
	v.Ready = s == Current || s == Degraded
}

// prove adds a field to the evidence while there is room.
func (v *Verdict) prove(at place, a, b string, n node) {
	if int(v.nfacts) >= maxProofs {
		return
	}
	f := &v.facts[v.nfacts]
	f.at, f.a, f.b, f.value = at, a, b, n.value()
	v.nfacts++
}

// proveStatus adds a field of the status.
func (j *judge) proveStatus(field string) { j.prove(atStatus, field, "", j.status.get(field)) }

// proveSpec adds a field of the spec.
func (j *judge) proveSpec(field string) { j.prove(atSpec, field, "", j.spec.get(field)) }

// proveCondition adds the status of a condition and takes over when it changed.
func (v *Verdict) proveCondition(c *cond) {
	v.prove(atCondition, c.typ, "status", c.n.get("status"))
	if v.since == "" {
		v.since = c.n.getStr("lastTransitionTime")
	}
}

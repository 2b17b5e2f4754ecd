// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/builtin"
	"github.com/tristate/tristate/verdict/internal/object"
)

// judgement is one judgement of an object by an engine.
type judgement struct {
	builtin.Kinds
	e *Engine
}

func (j *judgement) run(e *Engine, now time.Time, content map[string]any) {
	if content == nil {
		j.Answer.Set(answer.Unknown, "none/no-object", "NoObject", object.Message{})
		return
	}
	j.e, j.Now, j.Types, j.Words = e, now, e.typesOf(), e.lexicon()
	j.Conventions, j.Grace = &e.conventions, e.SchedulingGrace
	j.Read(object.Of(content))
	j.decide()
	read := now
	if e.ReadAt.After(now) {
		read = e.ReadAt
	}
	j.Conventions.Future(&j.Judgement, read)
	if j.Answer.Rule == builtin.StaticRule || j.Answer.Rule == builtin.NamespaceRule && j.Answer.Status == answer.Current {
		j.Answer.Since = object.TimeOf(j.Meta.TextAt("creationTimestamp"))
	}
	j.sinceWritten()
	j.retried()
	j.schedule()
	j.remedies()
	switch j.Answer.Status {
	case answer.Current, answer.Suspended, answer.Terminating:
		j.Answer.Others = nil
	}
}

func (j *judgement) decide() {
	if d := j.Meta.Get("deletionTimestamp"); d.Text() != "" {
		j.terminating(d)
		return
	}
	if j.e.Packs != nil {
		if p := j.e.Packs(j.Group, j.Version, j.Kind); p != nil {
			if v, ok := p.Judge(Object{j.Obj}, j.Now); ok {
				j.Answer = answer.Answer{Verdict: answer.Verdict(v)}
				if overruled := j.Conventions.Provisional(&j.Judgement, p, p.Counts()); !overruled && v.Status != Current {
					j.explainPack()
					j.unready()
				}
				return
			}
		}
	}
	if s := j.semantics(); s != nil {
		j.declared(s)
		j.Conventions.Provisional(&j.Judgement, s, false)
		return
	}
	if !j.e.Generic && j.Builtin() {
		j.unready()
		return
	}
	if j.e.Expect != nil {
		j.Expect = answer.Expectation(j.e.Expect(j.Group, j.Kind))
	}
	j.Conventions.Judge(&j.Judgement)
}

// semantics returns the declaration of the kind; nil without one.
func (j *judgement) semantics() *Semantics {
	if j.e.Semantics == nil {
		return nil
	}
	return j.e.Semantics(j.Group, j.Version, j.Kind)
}

// unready makes an unhealthy object not ready if its top-level condition is not True.
func (j *judgement) unready() {
	if !j.Answer.Ready || j.Answer.Status == answer.Current {
		return
	}
	var c object.Condition
	if j.Find("Ready", &c) || j.Find("Available", &c) {
		j.Answer.Ready = c.Status == conditions.True
	}
}

// terminating names the finalizers that are left; of a namespace also why it still exists.
func (j *judgement) terminating(deletion object.Value) {
	j.Answer.Set(answer.Terminating, "condition/deletion", "Deleting", object.Text("deletion is requested"))
	j.Answer.Since = object.TimeOf(deletion.Text())
	j.Answer.Prove(object.At(object.PathItself, ".metadata.deletionTimestamp", "", deletion))
	finalizers := j.Meta.Get("finalizers")
	if n := finalizers.Size(); n > 0 {
		first := ""
		for f := range finalizers.Items() {
			if s := f.Text(); s != "" && (first == "" || s < first) {
				first = s
			}
		}
		j.Answer.Reason, j.Answer.Message = "FinalizersLeft", object.FinalizersLeft(first, n).String()
		j.Answer.Prove(object.At(object.PathItself, ".metadata.finalizers", "", finalizers))
	}
	if j.Kind == "Namespace" && j.Group == "" {
		builtin.NamespaceRemains(&j.Judgement)
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
	if !j.Find("Deleting", &one.Condition) || one.Message() == "" ||
		one.Status != conditions.Unknown && !one.t.Polarity.Bad(one.Status) {
		return
	}
	one.cell = one.t.cell(&one.Condition)
	since := j.Answer.Since
	j.replaceBy(s, &one, one.Sentence())
	if j.Answer.Since.IsZero() {
		j.Answer.Since = since
	}
}

// replaceBy rests the verdict on a declared condition, and adds the former evidence behind it.
func (j *judgement) replaceBy(s *Semantics, d *declared, m object.Message) {
	was := j.Answer
	j.Answer.Reason, j.Answer.Message = d.Reason(), m.String()
	j.Answer.Evidence = nil
	d.support(&j.Answer)
	j.proveDeclared(s.Path, d)
	j.Answer.ProveAgain(&was)
}

// reportedBy reads the conditions that are declared. lags reports whether the status is about an older generation.
func (j *judgement) reportedBy(s *Semantics, lags bool) reported {
	d := reported{s: s, words: j.Words, generation: j.Generation, lags: lags}
	if s.Path == "" {
		d.list(j.Status.Get("conditions"), object.Value{})
	} else {
		d.walk(j.Obj, s.Path, object.Value{})
	}
	return d
}

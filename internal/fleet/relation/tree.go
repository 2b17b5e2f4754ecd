// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
)

// Judgement is the verdict about an object, with the condition that it rests on.
type Judgement struct {
	Verdict        verdict.Status
	Ready          bool
	Type           string // the condition that decides or, below a summary, the one that explains it; empty without one
	Status         conditions.Status
	Reason         string
	Severity       conditions.Severity
	Message        string
	Since          time.Time
	Rule           string
	Remedy         string
	Own            bool        // the condition reports a failure of the object itself, not of one below it
	Below          string      // which objects below contradict that it is healthy, in a few words
	Others         []Complaint // the other conditions that are bad, the worst first
	Evidence       []Evidence
	Contradictions []string  // why the judgement may be wrong, as in [verdict.Verdict]
	NextLook       time.Time // when time alone will change it; zero: never
	Looked         time.Time // the time as of which it was judged
	// Overdue: it has been in progress for longer than Budget, which is over at Due; zero: never.
	Overdue bool
	Budget  time.Duration
	Due     time.Time
	Lingers bool // its deletion takes longer than usual
	// Counting declares which children of the object count in its judgement; nil: none. See [View.Judgement].
	Counting *catalog.Counting
}

// Complaint is a condition of an object that is bad.
type Complaint = verdict.Complaint

// Evidence is a field that a judgement rests on.
type Evidence = verdict.Evidence

// Fine reports whether the object is healthy, or suspended on purpose: nothing has to be explained.
func (j Judgement) Fine() bool { return j.Verdict == verdict.Current || j.Verdict == verdict.Suspended }

// Confidence returns verdict.Sure, or verdict.Doubt if something contradicts the judgement or nothing was read to judge by. A
// verdict by children that count is sure.
func (j Judgement) Confidence() verdict.Confidence {
	if j.Counting != nil && j.Reason == "Child"+string(j.Verdict) {
		return verdict.Sure
	}
	if j.Below != "" || j.Verdict == verdict.Unknown && j.Rule == "" {
		return verdict.Doubt
	}
	v := verdict.Verdict{Status: j.Verdict, Rule: j.Rule, Contradictions: j.Contradictions}
	return v.Confidence()
}

// Silent returns true if an object has not reported a status, and no rule expects one by now: nothing says that it is unhealthy.
func (j Judgement) Silent() bool {
	return j.Verdict == verdict.Unknown && (j.Reason == "NoStatus" || j.Reason == "EmptyStatus") && !j.Overdue
}

// At returns the judgement at a time: it is overdue if its budget is over then.
func (j Judgement) At(now time.Time) Judgement {
	j.Overdue = !j.Due.IsZero() && now.After(j.Due)
	j.Lingers = j.Verdict == verdict.Terminating && now.Sub(j.Since) > usualDeletion
	return j
}

// usualDeletion is how long a deletion takes at most before it counts as one that something holds. That of a pod begins after its grace.
const usualDeletion = 15 * time.Minute

// Rank orders judgements by the severity of their verdicts, see [verdict.Statuses], the best first. An object that is overdue needs a
// person, as one that is Degraded does.
func (j Judgement) Rank() int {
	if j.Overdue {
		return verdict.Degraded.Rank()
	}
	return j.Verdict.Rank()
}

// Node is an object in a tree.
type Node struct {
	ID
	Object    *Object   // nil if the object is missing
	Edge      string    // from its parent: the name of a relation, or owner
	Again     bool      // the tree has the object elsewhere already, with its children
	Judgement Judgement // or the fault that a derived condition of its parent finds in it, see [Node.Answer]
	Children  []*Node   // by kind and name
	Left      int       // how many objects that belong to it are not among the children, see [View.Most]
	Cut       bool      // the tree was too large to look below it
	aside     bool      // its parent only writes it
	blamed    bool      // a derived condition of its parent finds the fault in it
	own       *Judgement
	up        bool // the tree goes up: the children explain nothing
}

// Missing reports whether the object is referred to and does not exist.
func (n *Node) Missing() bool { return n.Object == nil }

// Answer returns the judgement of the object, which is the same in every tree. A fault that a derived condition of its parent finds in it
// is a doubt.
func (n *Node) Answer() Judgement {
	if n.own != nil {
		return *n.own
	}
	return n.Judgement
}

// Blamed reports whether Judgement is a fault that only the parent finds.
func (n *Node) Blamed() bool { return n.own != nil }

// Build returns the hierarchy below an object; see [View.Build].
func Build(g *Graph, root ID, judge func(*Object) Judgement) *Node {
	return (&View{Graph: g, Judge: judge}).Build(root)
}

// Build returns the hierarchy of an object: the objects that the relations of its catalog lead to, except hidden ones, that it owns, and
// that well-known relations lead to. Each object is expanded once, where it is reached first, so circles end. It is nil if the root is not
// in the graph.
func (v *View) Build(root ID) *Node {
	v.refresh()
	o := v.Graph.Get(root)
	if o == nil {
		return nil
	}
	n := &Node{ID: root, Object: o, Judgement: v.judge(o), up: v.Up}
	seen := map[ID]bool{root: true}
	size := 1
	for level := []*Node{n}; len(level) > 0; { // by breadth, so that an object is as high in the tree as it can
		var next []*Node
		for _, parent := range level {
			if parent.Cut = v.Most > 0 && size > v.Most; parent.Cut {
				continue
			}
			v.expand(parent, seen)
			size += len(parent.Children)
			for _, child := range parent.Children {
				if !child.Again {
					next = append(next, child)
				}
			}
		}
		level = next
	}
	return n
}

func (v *View) expand(n *Node, seen map[ID]bool) {
	var edges []Edge
	if n.Object != nil {
		edges = v.next(n.Object)
		n.Left = v.left[n.Object]
	} else if !v.Up {
		edges = v.makers(n.ID)
	}
	for _, e := range edges {
		if !v.All && !v.Up && e.Object != nil && n.Object != nil && (retired(n.Object, e.Object) && v.judge(e.Object).Fine() ||
			v.outlived(e.Object)) {
			continue
		}
		child := &Node{ID: e.ID, Object: e.Object, Edge: e.Relation, aside: e.show == output, blamed: n.Object != nil && v.blames(n.ID, e.ID),
			up: v.Up}
		if e.Object == nil {
			child.Judgement = missing(e.Relation)
		} else {
			child.Judgement, child.own = v.judgeBelow(n.ID, e)
			child.Again = seen[e.ID]
			seen[e.ID] = true
		}
		n.Children = append(n.Children, child)
	}
	slices.SortStableFunc(n.Children, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), Compare(a.ID, b.ID))
	})
}

// retired reports whether an object is a ReplicaSet that its Deployment keeps for a rollback only: it has no pods, and is of another
// revision.
func retired(parent, o *Object) bool {
	if o.GroupKind != replicaSetKind || parent.GroupKind != deploymentKind {
		return false
	}
	const revision = "deployment.kubernetes.io/revision"
	now, its := parent.mark("annotations", revision), o.mark("annotations", revision)
	if now == "" || its == "" || now == its {
		return false
	}
	return nested.Number(o.Content, "spec", "replicas") == 0 && nested.Number(o.Content, "status", "replicas") == 0
}

// outlived reports whether an object is one that its owner has replaced, or did without: a failed pod of a Job that is complete or of a
// ReplicaSet that has its pods, a Job from before the last success of its CronJob, a request of a former revision of a Certificate.
func (v *View) outlived(o *Object) bool {
	its := nested.Map(o.Content, "status")
	if o.GroupKind == podKind && its["phase"] != "Failed" || o.GroupKind == jobKind && nested.Number(its, "active") > 0 {
		return false
	}
	return slices.ContainsFunc(v.Graph.Owners(o), func(owner *Object) bool {
		status := nested.Map(owner.Content, "status")
		switch {
		case o.GroupKind == podKind && owner.GroupKind == jobKind:
			return status["completionTime"] != nil || v.retried(o, owner)
		case o.GroupKind == podKind && owner.GroupKind == replicaSetKind:
			return nested.Number(status, "readyReplicas") >= max(nested.Number(owner.Content, "spec", "replicas"), 1)
		case o.GroupKind == jobKind && owner.Kind == "CronJob":
			return parsed(nested.Text(status, "lastSuccessfulTime")).After(parsed(nested.Text(its, "startTime")))
		case o.Kind == "CertificateRequest" && owner.Kind == "Certificate":
			of, err := strconv.ParseInt(o.mark("annotations", "cert-manager.io/certificate-revision"), 10, 64)
			return err == nil && of < nested.Number(status, "revision")
		}
		return false
	})
}

// retried reports whether a Job goes on after a failed pod, well within its limit: a younger pod of it runs, and no more than half of the
// failures that it allows have happened.
func (v *View) retried(pod, job *Object) bool {
	status, most := nested.Map(job.Content, "status"), int64(6) // the default of the API
	if nested.At(job.Content, "spec", "backoffLimit") != nil {
		most = nested.Number(job.Content, "spec", "backoffLimit")
	}
	for _, c := range nested.Maps(status, "conditions") {
		if (c["type"] == "Failed" || c["type"] == "FailureTarget") && c["status"] == "True" {
			return false
		}
	}
	return 2*nested.Number(status, "failed") <= most && slices.ContainsFunc(v.owned(job), func(other *Object) bool {
		return createdAt(other).After(createdAt(pod)) && nested.Text(other.Content, "status", "phase") == "Running"
	})
}

// missing returns the judgement of an object that is referred to and does not exist.
func missing(relation string) Judgement {
	return Judgement{Verdict: verdict.NotFound, Reason: "NotFound", Message: "is referred to and does not exist",
		Rule: "relation/" + relation}
}

// Tops returns those of some objects that are below none of the others, in the order of the argument. Of objects that are only below each
// other, in a circle, it returns the first.
func (v *View) Tops(ids []ID) []ID {
	v.refresh()
	inside, reached := map[ID]bool{}, map[ID]bool{}
	for _, id := range ids {
		v.trim()
		if o := v.Graph.Get(id); o != nil && !(o.GroupKind == podKind && v.outlived(o)) { // trees leave out what those lead to
			for _, e := range v.next(o) {
				inside[e.ID] = inside[e.ID] || e.ID != id && !e.named
			}
		}
	}
	var reach func(id ID)
	reach = func(id ID) {
		o := v.Graph.Get(id)
		if o == nil || reached[id] {
			return
		}
		if reached[id] = true; o.GroupKind == podKind && v.outlived(o) {
			return
		}
		v.trim()
		for _, e := range v.next(o) {
			if !e.named {
				reach(e.ID)
			}
		}
	}
	top := map[ID]bool{}
	for _, circles := range []bool{false, true} {
		for _, id := range ids {
			if (circles || !inside[id]) && !reached[id] {
				top[id] = true
				reach(id)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return !top[id] })
}

// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
)

// Ranked is a cause of several hierarchies, with the unhealthy objects that it explains.
type Ranked struct {
	Cause
	Explains []ID // in order, without the objects of the cause
	// Unexplained: nothing is known of why its object is not healthy.
	Unexplained bool
	// Waiting: the object is in progress within its budget, and so is what it explains. It is no cause of anything, and listed only if there
	// is no other.
	Waiting bool
}

// Ranked returns the causes of some hierarchies, each once: by the worst verdict among what they explain, then by how many objects that
// is, then in the order of [Causes], the unexplained ones last. A cause explains the unhealthy objects on the way to
// it, and the pods that are given the address of a Service on that way, with what these explain. Pods whose condition
// only names a missing Service that other objects refer to are no cause of their own, and neither are a missing Service
// where the condition of another object says why it is missing, and pods that crash or are not ready since a Service
// that they call has no pods. What only is in progress comes after what is broken, and is left out while its budget
// lasts, or no time is known from which it counts. What waits for the decision of a person comes last, although it is
// healthy.
func (v *View) Ranked(roots []*Node) []Ranked {
	var out []Ranked
	severity := map[ID]int{} // the worst rank of the object of a cause and of what it explains
	at := map[ID]int{}       // the place of the cause of an object
	explains := map[int]map[ID]bool{}
	equal := map[string]int{} // the place of a cause by what it shares with its equals
	for _, root := range roots {
		causes := Causes(root)
		if root.Judgement.Fine() { // it claims to be, and objects below it have failed
			causes = append(Contradictions(root), Asked(root)...)
		}
		for _, c := range causes {
			if running(c) {
				continue
			}
			i, known := at[c.Node.ID]
			key := alikeEverywhere(c.Node)
			if same, there := equal[key]; !known && there && len(c.Node.Judgement.Message) >= leastRepeated {
				i, known = same, true
			}
			if known && c.Node.ID != out[i].Node.ID { // of equals the same one is shown, whichever hierarchy is read first
				more := slices.DeleteFunc(slices.Clone(c.Nodes), func(n *Node) bool { j, named := at[n.ID]; return named && j == i })
				if compareCauses(c, out[i].Cause) < 0 {
					severity[c.Node.ID] = severity[out[i].Node.ID]
					c.Nodes = append(more, out[i].Nodes...)
					out[i].Cause = c
				} else {
					out[i].Nodes = append(out[i].Nodes, more...)
				}
			}
			if !known {
				equal[key] = len(out)
				i = len(out)
				out = append(out, Ranked{Cause: c, Unexplained: Silent(c.Node)})
				explains[i] = map[ID]bool{}
			}
			worst := severity[out[i].Node.ID]
			for _, n := range c.Nodes {
				if _, other := at[n.ID]; !other {
					at[n.ID] = i
				}
				worst = max(worst, n.Judgement.Rank())
			}
			for _, n := range slices.Concat(c.Chain, c.through) {
				if !n.Judgement.Fine() && n.ID != c.Node.ID {
					explains[i][n.ID] = true
					worst = max(worst, n.Judgement.Rank())
				}
			}
			severity[out[i].Node.ID] = worst
			if root.Judgement.Fine() && c.Node.Missing() { // what it needs does not exist, whatever it says
				explains[i][root.ID] = true
			}
		}
	}
	callers := map[ID][]int{} // the causes whose pods call a Service
	for i, r := range out {
		for _, id := range v.Called(r.Node) {
			callers[id] = append(callers[id], i)
		}
	}
	effects := map[int]bool{}
	for i, r := range out { // pods that call a Service which this cause explains
		called := callers[r.Node.ID]
		for id := range explains[i] {
			called = append(called[:len(called):len(called)], callers[id]...)
		}
		for _, j := range called {
			if i == j {
				continue
			}
			maps.Copy(explains[i], explains[j])
			severity[r.Node.ID] = max(severity[r.Node.ID], severity[out[j].Node.ID])
			for _, n := range out[j].Nodes {
				explains[i][n.ID] = true
			}
			if other := out[j].Node.Judgement; r.Node.Missing() && other.Derived() && names(other.Message, r.Node.ID) ||
				!effects[i] && v.follows(out[j].Cause, r.Cause) {
				effects[j] = true
			}
		}
	}
	for i, r := range out { // a quota that keeps a missing Service from being made again names it
		effects[i] = effects[i] || r.Node.Missing() && slices.ContainsFunc(out, func(other Ranked) bool {
			j := other.Node.Judgement
			return other.Node.GroupKind != podKind && j.Derived() && names(j.Message, r.Node.ID)
		})
	}
	for i, r := range out { // what the message of another one names is its cause
		for j, other := range out {
			if i != j && len(out) <= mostCompared && !effects[i] && !effects[j] && (v.fails(r, other) ||
				r.Node.Namespace == other.Node.Namespace &&
					!hints(other.Node.ID, other.Node.Judgement) && names(other.Node.Judgement.Message, r.Node.ID) &&
					!names(r.Node.Judgement.Message, other.Node.ID)) {
				effects[j] = true
				for _, n := range other.Nodes {
					explains[i][n.ID] = true
				}
				maps.Copy(explains[i], explains[j])
				severity[r.Node.ID] = max(severity[r.Node.ID], severity[other.Node.ID])
			}
		}
	}
	kept := out[:0]
	for i, r := range out {
		for _, n := range r.Nodes {
			delete(explains[i], n.ID)
		}
		r.Explains = sorted(explains[i])
		if r.Waiting = v.waiting(r); !effects[i] {
			kept = append(kept, r)
		}
	}
	out = v.contrasted(withTheRest(v.withoutObservers(kept), roots))
	if slices.ContainsFunc(out, func(r Ranked) bool { return !r.Waiting }) {
		out = slices.DeleteFunc(out, func(r Ranked) bool { return r.Waiting })
	}
	slices.SortStableFunc(out, func(a, b Ranked) int {
		return cmp.Or(boolean(a.Unexplained, b.Unexplained), boolean(asks(a.Node), asks(b.Node)), boolean(underway(a), underway(b)),
			cmp.Compare(severity[b.Node.ID], severity[a.Node.ID]), cmp.Compare(len(b.Explains)+len(b.Nodes), len(a.Explains)+len(a.Nodes)),
			compareCauses(a.Cause, b.Cause))
	})
	return out
}

// withTheRest returns causes with the objects of their hierarchies that are broken or overdue and that none of them names. One that only
// waits for others, looks at others or repeats them is explained by the first cause of its hierarchy; any other is a cause of its own.
func withTheRest(list []Ranked, roots []*Node) []Ranked {
	named, first := map[ID]bool{}, map[ID]int{}
	for i, r := range list {
		at := func(id ID) {
			if _, known := first[id]; !known {
				first[id] = i
			}
		}
		for _, n := range r.Nodes {
			named[n.ID] = true
			at(n.ID)
		}
		for _, id := range r.Explains {
			named[id] = true
			at(id)
		}
		for _, n := range slices.Concat(r.Chain, r.through) {
			at(n.ID)
		}
	}
	var chain []*Node
	var visit func(n *Node)
	visit = func(n *Node) {
		chain = append(chain, n)
		defer func() { chain = chain[:len(chain)-1] }()
		for _, child := range n.Children {
			if !child.Again && !child.aside {
				visit(child)
			}
		}
		if j := n.Judgement; named[n.ID] || n.Missing() || n.Blamed() || weigh(j) < broken || j.Verdict == verdict.Terminating {
			return
		}
		named[n.ID] = true
		effect := waits(n) || observes(n) || len(chain) > 1 && endedBy(n, chain[len(chain)-2])
		for _, above := range slices.Backward(chain) {
			if i, known := first[above.ID]; known && effect {
				list[i].Explains = append(list[i].Explains, n.ID)
				slices.SortFunc(list[i].Explains, Compare)
				return
			}
		}
		list = append(list, Ranked{Cause: Cause{Node: n, Nodes: []*Node{n}, Chain: slices.Clone(chain)}, Unexplained: Silent(n)})
	}
	for _, root := range roots {
		visit(root)
	}
	return list
}

// hints reports whether the judgement of an object names others only to help: a condition of package wiring finds the fault in the object
// itself.
func hints(id ID, j Judgement) bool { return wires(id, j) && j.Own }

// wires reports whether a condition of package wiring decides, and not the words of a controller.
func wires(id ID, j Judgement) bool {
	return j.Derived() && wired()[id.Kind] != nil && catalog.OfKubernetes(id.Group)
}

// alikeEverywhere returns a key that equal causes share in all hierarchies: pods with the same images wherever they are, other objects of a
// namespace.
func alikeEverywhere(n *Node) string {
	key := Equal(n)
	if n.GroupKind != podKind || n.Missing() {
		return n.Namespace + "\x00" + key
	}
	for _, c := range nested.Maps(n.Object.Content, "spec", "containers") {
		key += "\x00" + nested.Text(c, "image")
	}
	return key
}

// mostCompared is the number of causes up to which the message of each is searched for the others.
const mostCompared = 200

// Asked returns the cause in a root that waits for the decision of a person: the deepest object below it that does.
func Asked(root *Node) []Cause {
	if !asks(root) {
		return nil
	}
	chain := []*Node{root}
	for {
		n := chain[len(chain)-1]
		i := slices.IndexFunc(n.Children, asks)
		if i < 0 {
			return []Cause{{Node: n, Nodes: []*Node{n}, Chain: chain}}
		}
		chain = append(chain, n.Children[i])
	}
}

// running reports whether the object of a cause is a task that does its work: nothing is wrong with it.
func running(c Cause) bool {
	j := c.Node.Judgement
	admitted := j.Status == conditions.True && j.Budget == 0 && j.Due.IsZero() // and it may take as long as it takes
	return (j.Reason == "Running" || c.Node.GroupKind == jobKind || admitted) &&
		weight(j.Verdict) == progress && !j.Overdue
}

// underway reports whether the object of a cause is in progress and not overdue, or its deletion has just begun.
func underway(r Ranked) bool {
	return weight(r.Node.Judgement.Verdict) == progress && !r.Node.Judgement.Overdue && !r.Node.Judgement.Lingers
}

// waiting reports whether the object of a cause is in progress within a budget, and what it explains is so too or waits for endpoints.
func (v *View) waiting(r Ranked) bool {
	j := r.Node.Judgement
	// a condition should have a time, a phase has none
	timed := !j.Due.IsZero() || j.Budget > 0 && j.Type == "" || j.Verdict == verdict.Terminating
	return underway(r) && timed && !slices.ContainsFunc(r.Explains, func(id ID) bool {
		o := v.Graph.Get(id)
		return o == nil || weight(v.judge(o).Verdict) >= broken && !waits(&Node{ID: id, Object: o, Judgement: v.judge(o)})
	})
}

// boolean orders false before true.
func boolean(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// follows reports whether one cause is pods that do no more than fail, and that worked before the trouble of another one began.
func (v *View) follows(c, other Cause) bool {
	j := c.Node.Judgement
	if c.Node.GroupKind != podKind || j.Derived() || strings.Contains(j.Message, "OOMKilled") ||
		weight(other.Node.Judgement.Verdict) < broken ||
		!slices.Contains([]string{"CrashLoopBackOff", "Error", "ContainersNotReady", "PodInitializing"}, j.Reason) {
		return false
	}
	if other.Node.Judgement.Reason == "ScaledToZero" {
		return true
	}
	own, its := v.troubleOf(c), v.troubleOf(other)
	if its.IsZero() && other.Node.GroupKind == serviceKind && other.Node.Judgement.Derived() {
		return true // nothing is known of when it was wired so
	}
	return !own.IsZero() && !its.IsZero() && !own.Before(its)
}

// fails reports whether the words of one cause, which is older, are about an object that the pods of another cause use.
func (v *View) fails(r, other Ranked) bool {
	n := other.Node
	if n.GroupKind != podKind || n.Missing() || n.Judgement.Derived() || r.Node.Missing() {
		return false
	}
	its, own := v.troubleOf(r.Cause), v.troubleOf(other.Cause)
	return !its.IsZero() && its.Before(own) && slices.ContainsFunc(v.pointersOf(n.Object), func(p pointer) bool {
		_, id := v.resolve(p, n.Object)
		return id.Kind != "ServiceAccount" && id.Kind != "Node" && len(id.Name) >= leastName &&
			(id.Namespace != "" && hasWord(r.Node.Judgement.Message, id.Namespace+"/"+id.Name) || names(r.Node.Judgement.Message, id))
	})
}

// hasWord reports whether a text has a word, not as a part of a longer one.
func hasWord(text, word string) bool {
	_, rest, found := strings.Cut(" "+text+" ", word)
	return found && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-./", rune(rest[0]))
}

// Called returns the Services whose addresses the containers of a pod are given, also those that do not exist; none of another object.
func (v *View) Called(n *Node) []ID {
	if n.Object == nil || n.Kind != "Pod" || n.Group != "" {
		return nil
	}
	var out []ID
	for _, k := range v.derivedBy(n.Object) {
		if l := k.Relation("services"); l != nil {
			objects, missing, _ := v.reach(link{Link: l, kind: k, costs: &v.Graph.costs}, n.Object)
			for _, o := range objects {
				out = append(out, o.ID)
			}
			out = append(out, missing...)
		}
	}
	return out
}

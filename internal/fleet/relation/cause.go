// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// Cause explains why a root is unhealthy: by an object, with its equals, and the way from the root to it.
type Cause struct {
	Node  *Node   // the one of the equals that has been unhealthy for longest
	Nodes []*Node // all, Node first
	Chain []*Node // from the root to Node
	// Shared is what the failing pods of a cause share and no ready pod has, with counts; empty if there is no such thing, or it is not known.
	Shared string
	// through are the objects on the other ways to Nodes.
	through []*Node
}

// Causes folds a tree to the smallest set of objects that explains why its root is unhealthy, best first. It is empty for a healthy root.
//
//  1. An unhealthy object with a cause below it only repeats that cause and is dropped, unless it reports a failure of its own.
//  2. A cause is never healthier than the object it explains: a Pod that is pending does not explain a ReplicaSet that has failed. Unknown
//     explains only Unknown. An object without a status, or with one that no rule knows, is dropped if there is another cause.
//     A missing object explains everything, unless the explained object itself has a remedy.
//  3. A deletion is explained by deletions below it: by the deepest object that a finalizer holds, or the node of its pod.
//  4. Objects that the explained one writes itself, templates that exist, and children that it has ended explain nothing.
//  5. Objects below a healthy one explain nothing, unless there is no other cause.
//  6. Objects in progress are dropped if others are broken or missing.
//     A Service or an Ingress without endpoints waits for pods, and is dropped if there is another cause.
//  7. Objects of one kind with the same verdict, condition, reason and message, their own names aside, are one cause. An object
//     that appears several times in the tree is one.
//  8. An object that is over, one that waits for others, one that only watches others (a budget, an autoscaler), and one that repeats the
//     message of another cause or names an object on the way to one, is dropped if there is another cause. A pod that is not ready explains
//     its workload and its Service, however bad these are; what should have made a missing object explains that it is missing.
//  9. What a derived condition of an object finds at fault explains that object, however bad both are.
//  10. The worst comes first, then the deepest, the oldest, the one by a rule that is written for its kind.
//
// In a tree that goes up (see [View]) the root explains itself.
func Causes(root *Node) []Cause {
	if root == nil || root.Judgement.Fine() {
		return nil
	}
	if root.up {
		return []Cause{{Node: root, Nodes: []*Node{root}, Chain: []*Node{root}}}
	}
	return fold(root)
}

// Contradictions returns, by the same rules, the objects that contradict a healthy root: broken, missing or overdue ones below it and, if
// only a condition of the root claims that it is healthy, owned ones that are not ready yet; and what a root waits for that is suspended.
func Contradictions(root *Node) []Cause {
	if root == nil || root.up || !root.Judgement.Fine() {
		return nil
	}
	claims := root.Judgement.Verdict == verdict.Current && !verdict.Builtin(root.Judgement.Rule)
	return slices.DeleteFunc(fold(root), func(c Cause) bool {
		w := weight(c.Node.Judgement.Verdict)
		for _, n := range c.Chain { // what is held on purpose holds others
			if c.Node.Judgement.Verdict == verdict.Suspended {
				w = max(w, weight(n.Judgement.Verdict))
			}
		}
		j := c.Node.Judgement
		held := root.Judgement.Verdict == verdict.Suspended && w == progress && j.Status == conditions.False && c.Node.Edge == "owner"
		return w < broken && !j.Overdue && !j.Lingers && !held &&
			!(claims && w == progress && !j.Ready && len(c.Chain) == 2 && verdict.Builtin(j.Rule) && c.Node.Kind != "Pod")
	})
}

// The weights of verdicts: a cause has at least the weight of the object it explains. They are the order of verdicts in steps, with one
// exception: an object of which nothing is known does not explain that another is in progress.
const (
	fine = iota
	unknown
	progress
	broken
	failed
)

func weight(s verdict.Status) int {
	switch {
	case s == verdict.Unknown:
		return unknown
	case s.Worse(verdict.Degraded):
		return failed
	case s == verdict.Degraded:
		return broken
	case s.Worse(verdict.Suspended):
		return progress
	}
	return fine
}

// weigh returns the weight of a judgement: what is overdue needs a person, as what is broken does.
func weigh(j Judgement) int {
	if j.Overdue {
		return max(weight(j.Verdict), broken)
	}
	return weight(j.Verdict)
}

// deadline finds messages of objects that have waited for others for as long as they may.
var deadline = regexp.MustCompile(`(?i)deadline exceeded|timed out|timeout (expired|waiting)|gave up waiting`)

// gaveUp reports whether an object failed as it had waited too long: anything below it that is not ready explains that.
func gaveUp(n *Node) bool {
	return n.GroupKind != podKind && !n.Missing() && deadline.MatchString(n.Judgement.Message)
}

// folding collects the objects that explain a root.
type folding struct {
	first   map[ID]*Node // the node of an object that has its children
	known   map[ID][]found
	entered map[ID]bool
}

// found is a cause below a node: the way from the node to it, both included.
type found struct {
	*way
	weight   int  // of the worst that it is known to explain, or its own
	absorbed bool // below a healthy object
}

// way leads from a node down to a cause. The ways of all nodes above one share its own.
type way struct {
	from    *Node
	next    *way // nil at the cause
	last    *Node
	above   *Node // the one before the last; nil if there is none
	objects int
}

// wayTo returns the way that goes on with another one, from a node; nil: the node is the cause.
func wayTo(n *Node, next *way) *way {
	if next == nil {
		return &way{from: n, last: n, objects: 1}
	}
	w := &way{from: n, next: next, last: next.last, above: next.above, objects: next.objects + 1}
	if w.above == nil {
		w.above = n
	}
	return w
}

// nodes iterates over a way, from the top.
func (w *way) nodes(yield func(*Node) bool) {
	for at := w; at != nil; at = at.next {
		if !yield(at.from) {
			return
		}
	}
}

// has reports whether a node of a way meets a condition.
func (w *way) has(condition func(*Node) bool) bool {
	for n := range w.nodes {
		if condition(n) {
			return true
		}
	}
	return false
}

// chain returns the nodes of a way.
func (w *way) chain() []*Node {
	return slices.AppendSeq(make([]*Node, 0, w.objects), w.nodes)
}

func (w *way) node() *Node { return w.last }

// byOwner reports whether the cause is owned by the object before it. That way says more than one by way of what selects the object.
func (w *way) byOwner() bool { return w.above != nil && ownedBy(w.above, w.last) }

func fold(root *Node) []Cause {
	f := folding{first: map[ID]*Node{}, known: map[ID][]found{}, entered: map[ID]bool{}}
	f.index(root)
	all := f.causes(root, true)
	owned := map[ID]*way{} // the ways by owners
	for _, c := range all {
		if id := c.node().ID; owned[id] == nil && !c.absorbed && c.byOwner() {
			owned[id] = c.way
		}
	}
	list := slices.DeleteFunc(slices.Clone(all), func(c found) bool { return c.absorbed })
	if len(list) == 0 {
		list = all
	}
	if slices.ContainsFunc(list, func(c found) bool { return !Silent(c.node()) }) {
		list = slices.DeleteFunc(slices.Clone(list), func(c found) bool { return Silent(c.node()) })
	}
	list = essential(list)
	if slices.ContainsFunc(list, func(c found) bool { return c.weight >= broken }) {
		list = slices.DeleteFunc(slices.Clone(list), func(c found) bool { return c.weight < broken })
	}
	causes := make([]Cause, 0, len(list))
	seen, through := map[ID]bool{}, map[ID][]*Node{}
	for _, c := range list {
		for n := range c.nodes {
			if n != c.last {
				through[c.last.ID] = append(through[c.last.ID], n)
			}
		}
	}
	for _, c := range list {
		n := c.node()
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		if way := owned[n.ID]; way != nil && n.Edge != "owner" {
			causes = append(causes, causeByOwner(way.chain()))
			continue
		}
		causes = append(causes, Cause{Node: n, Chain: c.chain()})
	}
	slices.SortStableFunc(causes, compareCauses)
	var out []Cause
	at := map[string]int{}
	for _, c := range causes {
		key := Equal(c.Node)
		c.through = through[c.Node.ID]
		if i, known := at[key]; known {
			out[i].Nodes = append(out[i].Nodes, c.Node)
			out[i].through = append(out[i].through, c.through...)
			continue
		}
		at[key] = len(out)
		c.Nodes = []*Node{c.Node}
		out = append(out, c)
	}
	return out
}

// ownedBy reports whether both objects of two nodes are there, and the first owns the second.
func ownedBy(owner, item *Node) bool {
	return owner.Object != nil && item.Object != nil && owns(owner.Object, item.Object)
}

// causeByOwner returns the cause at the end of a chain by its owner. Its node may have been built below another object, with that edge.
func causeByOwner(chain []*Node) Cause {
	n := *chain[len(chain)-1]
	n.Edge = "owner"
	chain = append(slices.Clone(chain[:len(chain)-1]), &n)
	return Cause{Node: &n, Chain: chain}
}

// Silent reports whether an object has no status, or one that no rule knows.
func Silent(n *Node) bool {
	return n.Judgement.Verdict == verdict.Unknown || verdict.Guessed(n.Judgement.Rule)
}

// index finds the node of each object that has its children.
func (f *folding) index(n *Node) {
	if !n.Again {
		f.first[n.ID] = n
	}
	for _, child := range n.Children {
		f.index(child)
	}
}

// causes returns the causes of a node: those below it, or else the node itself if it is unhealthy.
func (f *folding) causes(n *Node, top bool) []found {
	if first := f.first[n.ID]; n.Again && first != nil {
		if n.Blamed() && !first.Blamed() { // the parent finds a fault here that the others do not
			return []found{{way: wayTo(n, nil), weight: weigh(n.Judgement)}}
		}
		n = first
	}
	if out, known := f.known[n.ID]; known || f.entered[n.ID] {
		return out
	}
	f.entered[n.ID] = true
	bad := !n.Judgement.Fine()
	var out []found
	for _, child := range n.Children {
		if child.aside || strings.HasSuffix(child.Kind, "Template") && !child.Missing() {
			continue
		}
		for _, c := range f.causes(child, false) {
			if bad && !(child.blamed && c.weight >= progress) && !explains(c, n) {
				continue
			}
			w := c.weight
			if bad {
				w = max(w, weight(n.Judgement.Verdict))
			}
			out = append(out, found{wayTo(n, c.way), w, c.absorbed || !bad && !top})
		}
	}
	if bad && len(out) == 0 { // what is held on purpose is healthy, and others wait for it
		for _, child := range n.Children {
			if child.Judgement.Verdict == verdict.Suspended && (child.GroupKind == podKind && !child.Judgement.Derived() ||
				inactive(n.Judgement) || asks(child)) {
				out = append(out, found{way: wayTo(n, wayTo(child, nil)), weight: weight(n.Judgement.Verdict)})
			}
		}
	}
	if bad && (len(out) == 0 || n.Judgement.Own) {
		out = append(out, found{way: wayTo(n, nil), weight: weigh(n.Judgement)})
	}
	f.known[n.ID] = out
	return out
}

// explains reports whether a cause below a node can explain that the node is unhealthy.
func explains(c found, n *Node) bool {
	cause := c.node()
	switch {
	case n.Missing(): // below it is what should have made it
		return true
	case n.Judgement.Verdict == verdict.Terminating: // by what explains a deletion below it
		return c.from.Judgement.Verdict == verdict.Terminating ||
			c.weight >= broken && (worded(c.from) || n.GroupKind == podKind && cause.GroupKind == nodeKind)
	case cause.Missing() && c.objects == 1 && n.Judgement.Verdict == "Failed" &&
		n.Judgement.Remedy != "" && (n.Judgement.Own || !n.Judgement.Derived()):
		return false // the condition of the object itself names the missing one, and has a remedy
	case wires(n.ID, n.Judgement) && cites(strings.ReplaceAll(n.Judgement.Message, n.Namespace+"/"+n.Name, "")) && !gaveUp(n) &&
		!c.from.blamed && !names(n.Judgement.Message, c.from.ID):
		return false // it has a reason of its own, and that is about another object
	case c.objects == 1 && endedBy(cause, n): // what an owner did to its children is an effect
		return false
	case observes(n), unready(cause, n), gaveUp(n),
		c.from.Edge == byWords && failing(n.Judgement) && deadline.MatchString(n.Judgement.Message): // a pod waited for what it names
		return c.weight >= progress
	case n.GroupKind == podKind && slices.Contains([]string{"calls", "node", "volume"}, c.from.Edge) && failing(n.Judgement):
		return c.weight >= broken
	}
	return c.weight >= weight(n.Judgement.Verdict)
}

// endedBy reports whether an object was ended by the one that owns it, and says so by the kind of that.
func endedBy(n, owner *Node) bool {
	j := n.Judgement
	return ownedBy(owner, n) && ended.MatchString(j.Reason) &&
		strings.Contains(strings.ToLower(j.Message), strings.ToLower(owner.Kind))
}

var ended = regexp.MustCompile(`(?i)cancel|abort|stopped|terminated`)

// unready reports whether a cause is a pod that is not ready, and a node needs it to be; unless it has trouble in making pods.
func unready(cause, n *Node) bool {
	if cause.GroupKind != podKind || cause.Judgement.Ready || cause.Judgement.Verdict == verdict.Terminating || n.Judgement.Own {
		return false
	}
	switch n.GroupKind {
	case serviceKind, replicaSetKind, deploymentKind, statefulSetKind, daemonSetKind:
		return !strings.Contains(n.Judgement.Reason+n.Judgement.Type, "FailedCreate") && !strings.Contains(n.Judgement.Type, "ReplicaFailure")
	}
	return false
}

func compareCauses(a, b Cause) int {
	x, y := a.Node.Judgement, b.Node.Judgement
	return cmp.Or(
		boolean(former(a), former(b)),
		cmp.Compare(y.Verdict.Rank(), x.Verdict.Rank()),
		cmp.Compare(severity(x), severity(y)),
		cmp.Compare(len(b.Chain), len(a.Chain)),
		x.Since.Compare(y.Since),
		boolean(!verdict.Declared(x.Rule), !verdict.Declared(y.Rule)), boolean(!verdict.Builtin(x.Rule), !verdict.Builtin(y.Rule)),
		Compare(a.Node.ID, b.Node.ID))
}

// former reports whether a cause is in a ReplicaSet of a former revision of its Deployment.
func former(c Cause) bool {
	const revision = "deployment.kubernetes.io/revision"
	for i := 1; i < len(c.Chain); i++ {
		parent, n := c.Chain[i-1], c.Chain[i]
		if n.GroupKind == replicaSetKind && parent.GroupKind == deploymentKind && !n.Missing() && !parent.Missing() {
			now, its := parent.Object.mark("annotations", revision), n.Object.mark("annotations", revision)
			return now != "" && its != "" && now != its
		}
	}
	return false
}

// severity orders causes by severity, the worst first, and those without one last: a declared severity is more than a guess.
func severity(j Judgement) int {
	if j.Severity == conditions.SeverityNone {
		return conditions.SeverityInfo.Rank() + 1
	}
	return j.Severity.Rank()
}

// Equal returns a key that equal causes share.
func Equal(n *Node) string {
	j := n.Judgement
	if n.Missing() {
		return n.ID.String()
	}
	message := n.Alike(j.Message)
	if j.Derived() && !strings.HasPrefix(j.Rule, derivedRule+n.Kind+".") { // the message is that of the object in which the fault was found
		message = j.Message
	}
	return strings.Join([]string{n.Group, n.Kind, string(j.Verdict), j.Type, string(j.Status), j.Reason, string(j.Severity), message}, "\x00")
}

// measured are the words with digits in the last words of a container: times, addresses, numbers of requests.
var measured = regexp.MustCompile(`\S{3,}\d\S*|\S*\d\S{3,}`)

// Alike is a text about an object as its equals have it: without its name and, of the last words of a container, without what is measured.
func (n *Node) Alike(text string) string {
	text = n.Nameless(text)
	if i := strings.Index(text, "exited with code "); i >= 0 {
		text = text[:i] + measured.ReplaceAllString(text[i:], "…")
	}
	return text
}

// Nameless replaces the name of an object in a text about it, where it is a whole word, so that the texts about equals are the same.
func (n *Node) Nameless(text string) string {
	if n.Name == "" {
		return text
	}
	var b strings.Builder
	wordAt := func(s string, i int) bool {
		return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-')
	}
	for start := 0; ; {
		i := strings.Index(text[start:], n.Name)
		if i < 0 {
			b.WriteString(text[start:])
			return b.String()
		}
		i += start
		end := i + len(n.Name)
		b.WriteString(text[start:i])
		if wordAt(text, i-1) || wordAt(text, end) {
			b.WriteString(n.Name)
		} else {
			b.WriteString("…")
		}
		start = end
	}
}

// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// byWords is why an object is below an unhealthy one whose words name it: a message, a condition, an event, the last words of a container.
const byWords = "message"

// byIdentity is why a pod is below an object that names the controller, driver or scheduler which the pod is.
const byIdentity = "controller"

// worded reports whether an edge rests on words: its cause explains also a deletion.
func worded(n *Node) bool { return n.Edge == byWords || n.Edge == byIdentity }

var (
	// mention finds what a text calls an object: its kind or resource, with or without the group, and its name in quotes.
	mention = regexp.MustCompile("([A-Za-z][A-Za-z0-9]*)(?:\\.([a-z0-9][a-z0-9.-]*))?[ :]+\\[?[\"'`]([a-z0-9](?:[-a-z0-9./]*[a-z0-9])?)[\"'`]")
	// pair finds a namespace and a name.
	pair = regexp.MustCompile(`(?:^|[\s"'(\[=,])[a-z0-9](?:[-a-z0-9]*[a-z0-9])?/[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?(?:$|[\s"')\],:;.])`)
	// clusterIP finds a cluster IP, as in "dial tcp 10.96.0.7:443: connection refused".
	clusterIP = regexp.MustCompile(`\b((?:[0-9]{1,3}\.){3}[0-9]{1,3}):[0-9]+: `)
	// dotted finds hosts, and names of drivers, webhooks and controllers.
	dotted = regexp.MustCompile(`[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+(?:/[-a-z0-9.]*[a-z0-9])?`)
	// absence begins what a text says after the name of an object that does not exist.
	absence = regexp.MustCompile(`^[\s,:"']*(?:is |was |could )?(?:not found|not be found|does not exist|doesn't exist|missing)`)
	// unresolved finds texts about a host that no name server knows.
	unresolved = regexp.MustCompile(`(?i)no such host|UnknownHost|name or service not known|NXDOMAIN|server misbehaving|could not (resolve|translate)|` +
		`cannot resolve|name resolution|getaddrinfo`)
)

// mostMentions is how many names of one form are looked up in a text, mostTexts how many texts of one object are read,
// and mostWords how many words of one.
const mostMentions, mostTexts, mostWords = 8, 12, 200

// resolver turns the words of one unhealthy object into edges.
type resolver struct {
	v     *View
	o     *Object
	j     Judgement
	known []Edge
	out   []Edge
}

// mentioned returns edges to the objects that the words of an unhealthy object name: those that are unhealthy too, or
// that do not exist where the words are about that. known are the edges that it has already.
func (v *View) mentioned(o *Object, j Judgement, known []Edge) []Edge {
	r := resolver{v: v, o: o, j: j, known: known}
	for _, text := range v.textsAbout(o, j) {
		r.hosts(text)
		r.calls(text)
		r.identities(dotted.FindAllString(text, mostMentions))
	}
	if !j.Derived() {
		at(o.Content, []string{"status"}, func(status any) {
			r.references(status)
			r.values(status)
		})
	}
	r.marked()
	r.identities(v.identitiesOf(o))
	r.controller()
	return r.out
}

// textsAbout returns the words of an object: its message, its other complaints, its conditions if it is being deleted, and the warnings
// that were repeated since its trouble began.
func (v *View) textsAbout(o *Object, j Judgement) []string {
	out := []string{j.Message}
	if hints(o.ID, j) {
		out = nil // it names others only to help
	}
	for _, other := range j.Others {
		out = append(out, other.Message)
	}
	if o.Deleting {
		for _, c := range nested.Maps(o.Content, "status", "conditions") {
			out = append(out, nested.Text(c, "message"))
		}
	}
	for _, e := range v.warnings(o) {
		if last := lastSeen(e); j.Since.IsZero() || last.IsZero() || !last.Before(j.Since.Add(-time.Minute)) {
			out = append(out, cmp.Or(nested.Text(e.Content, "message"), nested.Text(e.Content, "note")))
		}
	}
	return out[:min(len(out), mostTexts)]
}

// warnings returns the events of type Warning about an object, the last first.
func (v *View) warnings(o *Object) []*Object {
	var out []*Object
	for group, field := range map[string]string{"": "involvedObject", "events.k8s.io": "regarding"} {
		out = append(out, v.indexed("events of", schema.GroupKind{Group: group, Kind: "Event"}, o.Kind+"/"+o.Namespace+"/"+o.Name,
			func(e *Object) []string {
				about := nested.Map(e.Content, field)
				if e.Content["type"] != "Warning" {
					return nil
				}
				return []string{nested.Text(about, "kind") + "/" + nested.Text(about, "namespace") + "/" + nested.Text(about, "name")}
			})...)
	}
	slices.SortStableFunc(out, func(a, b *Object) int { return lastSeen(b).Compare(lastSeen(a)) })
	return out
}

// lastSeen returns when an event was seen last.
func lastSeen(e *Object) (last time.Time) {
	for _, path := range [][]string{{"lastTimestamp"}, {"series", "lastObservedTime"}, {"deprecatedLastTimestamp"}, {"eventTime"},
		{"metadata", "creationTimestamp"}} {
		if last = parsed(nested.Text(e.Content, path...)); !last.IsZero() {
			return last
		}
	}
	return last
}

// add adds an edge to an object that is there and not healthy, or to one that is proven to be absent.
func (r *resolver) add(id ID, relation string, absent bool) (there bool) {
	item := r.v.Graph.Get(id)
	e := Edge{ID: id, Relation: relation, Object: item, Missing: item == nil, show: trouble, named: true}
	if item == nil && !absent || id == r.o.ID {
		return item != nil
	}
	known := slices.ContainsFunc(slices.Concat(r.out, r.known), func(k Edge) bool { return k.ID == id && (k.Object != nil || k.Missing) })
	if !known && !r.v.leadsBack(e, r.o) && (item == nil || weight(r.v.judge(item).Verdict) >= progress) {
		r.out = append(r.out, e)
	}
	return true
}

// hosts finds the Services whose hosts or cluster IPs a text has.
func (r *resolver) hosts(text string) {
	for _, host := range dotted.FindAllString(text, mostMentions) {
		parts := strings.Split(strings.TrimPrefix(host, "https://"), ".")
		for i := 2; i < len(parts); i++ {
			if parts[i] == "svc" {
				id := ID{GroupKind: serviceKind, Namespace: parts[i-1], Name: parts[i-2]}
				r.add(id, byWords, r.v.Graph.covered(id) && unresolved.MatchString(text))
				break
			}
		}
	}
	if unresolved.MatchString(text) { // of the name servers
		for _, service := range r.v.indexed("name server", serviceKind, "53", func(s *Object) (ports []string) {
			for _, p := range nested.Maps(s.Content, "spec", "ports") {
				ports = append(ports, fmt.Sprint(nested.Number(p, "port")))
			}
			return ports
		}) {
			r.add(service.ID, byWords, false)
		}
	}
	for _, m := range clusterIP.FindAllStringSubmatch(text, mostMentions) {
		for _, service := range r.v.indexed("cluster IP", serviceKind, m[1], func(s *Object) []string {
			return []string{nested.Text(s.Content, "spec", "clusterIP")}
		}) {
			r.add(service.ID, byWords, false)
		}
	}
}

// calls finds the objects that a text calls by kind and name, with quotes or without, or by namespace and name.
func (r *resolver) calls(text string) {
	for _, at := range mention.FindAllStringSubmatchIndex(text, mostMentions) {
		r.call(text[at[2]:at[3]], text[max(at[4], 0):max(at[5], 0)], text[at[6]:at[7]], absence.MatchString(text[at[1]:]))
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{},;:=", c) })
	for i, word := range words[:min(len(words), mostWords)] {
		word = strings.TrimRight(word, "./")
		first, rest, divided := strings.Cut(word, "/")
		if divided && first != "" {
			r.call(first, "", rest, false) // Kind/name
			for _, gk := range r.v.kindsNow() {
				r.add(ID{GroupKind: gk, Namespace: first, Name: rest}, byWords, false)
			}
		}
		if i > 0 {
			kind, group, _ := strings.Cut(words[i-1], ".")
			r.call(kind, group, word, false)
		}
	}
}

// call finds one object by its kind, or the name of its resource, and its name, or namespace/name.
func (r *resolver) call(kind, group, name string, absent bool) {
	for _, gk := range r.v.kindsCalled(kind, group, r.o.Group) {
		p := pointer{reference: reference{ID: ID{GroupKind: gk, Name: name}}}
		if namespace, rest, found := strings.Cut(name, "/"); found {
			p.Namespace, p.Name = namespace, rest
		} else if r.o.Namespace == "" {
			p.Namespace = namespaceOf(name, r.o, r.known)
		}
		item, id := r.v.resolve(p, r.o)
		if item == nil && p.Namespace == "" { // of another namespace, if only one is called so
			if all := r.v.named(gk, name); len(all) == 1 {
				item = all[0]
			}
		}
		if item != nil {
			id = item.ID
		}
		whole := slices.Contains(resourcesOf(strings.ToLower(gk.Kind)), strings.ToLower(kind))
		if r.add(id, byWords, absent && whole && r.v.Graph.covered(id)) && item != nil {
			return
		}
	}
}

// references finds the unhealthy objects that a status refers to by kind, group and name.
func (r *resolver) references(status any) {
	for _, p := range appendReferences(nil, status, "", 0) {
		if item, _ := r.v.resolve(p, r.o); item != nil && p.show != hidden {
			r.add(item.ID, byWords, false)
		}
	}
}

// identities finds what has the names of webhooks, drivers, provisioners, schedulers, signers and controllers: the configuration of a
// webhook that a text names, and pods that are not ready and are started with such a name.
func (r *resolver) identities(list []string) {
	for _, name := range list {
		for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
			for _, config := range r.v.indexed("webhook", schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: kind}, name, func(o *Object) (out []string) {
				for _, w := range nested.Maps(o.Content, "webhooks") {
					out = append(out, nested.Text(w, "name"))
				}
				return out
			}) {
				r.blame(config)
			}
		}
		for _, pod := range r.v.indexed("identity", podKind, name, identityKeys) {
			if names(r.v.judge(pod).Message, r.o.ID) {
				continue // it waits for this one
			}
			r.add(pod.ID, byIdentity, false)
		}
	}
}

// blame adds an edge to an object that is healthy as far as it says, and in which the words of another one find the fault.
func (r *resolver) blame(item *Object) {
	if slices.ContainsFunc(slices.Concat(r.known, r.out), func(k Edge) bool { return k.ID == item.ID }) || r.o.ID == item.ID {
		return
	}
	if r.v.judge(item).Fine() {
		text := r.j.Message
		for _, t := range r.v.textsAbout(r.o, r.j) {
			for _, w := range nested.Maps(item.Content, "webhooks") {
				if strings.Contains(t, nested.Text(w, "name")) {
					text = t
				}
			}
		}
		b := r.v.blamed[r.o.ID]
		b.as = Judgement{Verdict: verdict.Failed, Reason: "CallFailed", Message: text, Rule: "words"}
		b.edges = append(b.edges, Edge{ID: item.ID, Relation: byWords, Object: item, show: below})
		r.v.blamed[r.o.ID] = b
	}
	r.out = append(r.out, Edge{ID: item.ID, Relation: byWords, Object: item, show: below})
}

// identityFields are the fields of specs, of classes and of annotations that name a controller.
var identityFields = []string{"provisioner", "controller", "controllerName", "signerName", "driver", "driverName"}

// identitiesOf returns the names of the controllers on which an unhealthy object relies: in its own fields, and in
// those of the classes that it refers to.
func (v *View) identitiesOf(o *Object) (out []string) {
	spec := nested.Map(o.Content, "spec")
	if name := nested.Text(spec, "schedulerName"); o.GroupKind == podKind && name != "default-scheduler" && spec["nodeName"] == nil && name != "" {
		out = append(out, name, name+"-scheduler")
	}
	if name := o.mark("annotations", "volume.kubernetes.io/storage-provisioner"); name != "" {
		out = append(out, name)
	}
	read := func(m map[string]any) {
		for _, field := range identityFields {
			if name := nested.Text(m, field); name != "" {
				out = append(out, name)
			}
		}
	}
	read(spec)
	for _, p := range v.pointersOf(o) {
		if class, _ := v.resolve(p, o); class != nil && strings.HasSuffix(class.Kind, "Class") {
			read(class.Content)
			read(nested.Map(class.Content, "spec"))
		}
	}
	return out
}

// identityKeys returns the names with which a pod that is not ready is started: words of arguments, variables and paths, its containers and
// what its labels call it.
func identityKeys(pod *Object) []string {
	if podReady(pod) {
		return nil
	}
	seen := map[string]bool{}
	words := func(text string) {
		for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n=,:\"'", c) }) {
			for _, part := range append(strings.Split(word, "/"), word) {
				if len(part) > 4 && len(seen) < 500 {
					seen[part] = true
				}
			}
		}
	}
	for _, field := range []string{"containers", "initContainers"} {
		for _, c := range nested.Maps(pod.Content, "spec", field) {
			seen[nested.Text(c, "name")] = true
			for _, list := range []string{"command", "args"} {
				for _, item := range nested.List(c, list) {
					if text, ok := item.(string); ok {
						words(text)
					}
				}
			}
			for _, e := range nested.Maps(c, "env") {
				words(nested.Text(e, "value"))
			}
		}
	}
	for _, volume := range nested.Maps(pod.Content, "spec", "volumes") {
		words(nested.Text(volume, "hostPath", "path"))
	}
	for key, value := range pod.Labels() {
		if strings.HasSuffix(key, "app") || strings.HasSuffix(key, "name") || strings.HasSuffix(key, "component") {
			seen[value] = true
		}
	}
	return sortedKeysOf(seen)
}

func sortedKeysOf(set map[string]bool) []string {
	var out []string
	for key := range set {
		if key != "" {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// podReady reports whether a pod is ready, or has done its work.
func podReady(pod *Object) bool {
	status := nested.Map(pod.Content, "status")
	return status["phase"] == "Succeeded" || slices.ContainsFunc(nested.Maps(status, "conditions"), func(c map[string]any) bool {
		return c["type"] == "Ready" && c["status"] == "True"
	})
}

// namespaceOf returns the namespace next to a name in the spec of a cluster-scoped object, or of one that it refers to; empty without one.
func namespaceOf(name string, o *Object, known []Edge) (found string) {
	var search func(any)
	search = func(value any) {
		switch m := value.(type) {
		case []any:
			for _, item := range m {
				search(item)
			}
		case map[string]any:
			if found == "" && nested.Text(m, "name") == name {
				found = nested.Text(m, "namespace")
			}
			for _, key := range sortedKeys(m) {
				search(m[key])
			}
		}
	}
	search(o.Content["spec"])
	for _, e := range known {
		if e.Object != nil && e.named {
			search(e.Object.Content["spec"])
		}
	}
	return found
}

// named returns the objects of a kind with a name, of any namespace.
func (v *View) named(gk schema.GroupKind, name string) []*Object {
	return v.indexed("name", gk, name, func(o *Object) []string { return []string{o.Name} })
}

// kindsCalled returns the kinds of the graph that a word means: by the name of the kind or of its resource, or by its last word.
// Whole names come first, and then kinds of the group.
func (v *View) kindsCalled(word, group, own string) []schema.GroupKind {
	word = strings.ToLower(word)
	if v.byWord == nil {
		v.byWord = map[string][]schema.GroupKind{}
	}
	key := "=" + own + "/" + group + "/" + word
	if list, known := v.byWord[key]; known {
		return list
	}
	var out []schema.GroupKind
	for _, gk := range v.kindsNow() {
		if group != "" && group != gk.Group {
			continue
		}
		last := english.Words(gk.Kind)
		if slices.Contains(resourcesOf(strings.ToLower(gk.Kind)), word) ||
			len(last) > 1 && slices.Contains(resourcesOf(last[len(last)-1]), word) {
			out = append(out, gk)
		}
	}
	part := func(gk schema.GroupKind) bool { return !slices.Contains(resourcesOf(strings.ToLower(gk.Kind)), word) } // a topic is a KafkaTopic
	slices.SortStableFunc(out, func(a, b schema.GroupKind) int {
		return cmp.Or(boolean(part(a), part(b)), boolean(a.Group != own, b.Group != own))
	})
	v.byWord[key] = out
	return out
}

// kindsNow returns the kinds of which the graph has objects, and keeps them until it changes.
func (v *View) kindsNow() []schema.GroupKind {
	if v.byWord == nil {
		v.byWord = map[string][]schema.GroupKind{}
	}
	if v.byWord[""] == nil {
		v.byWord[""] = v.Graph.kindsHeld()
	}
	return v.byWord[""]
}

// failing reports whether a pod does no more than fail or wait: the reason says nothing of why.
func failing(j Judgement) bool {
	return !j.Derived() && slices.Contains([]string{"CrashLoopBackOff", "Error", "ContainersNotReady", "PodInitializing"}, j.Reason) &&
		!strings.Contains(j.Message, "OOMKilled")
}

// cites reports whether a text names an object by a kind and a name in quotes, or by namespace and name.
func cites(text string) bool { return mention.MatchString(text) || pair.MatchString(text) }

// saysAbsent reports whether a message says of an object, by its kind and name, that it does not exist.
func saysAbsent(message string, id ID) bool {
	if !strings.Contains(message, id.Name) {
		return false
	}
	for _, at := range mention.FindAllStringSubmatchIndex(message, mostMentions) {
		if message[at[6]:at[7]] == id.Name && slices.Contains(resourcesOf(strings.ToLower(id.Kind)), strings.ToLower(message[at[2]:at[3]])) &&
			absence.MatchString(message[at[1]:]) {
			return true
		}
	}
	return false
}

// ofTrouble finds what a condition says of a deletion that does not go on by itself.
var ofTrouble = regexp.MustCompile(`(?i)fail|error|denied|refus|forbid|block|in ?use|cannot|could not|unable|must\b|not (allowed|authori[sz]ed|permitted)|` +
	`still\b|remain|left\b|stall`)

// ordinary finds the reasons of a deletion that goes on.
var ordinary = regexp.MustCompile(`^(Deleting|Deleted|Terminating|Deletion(InProgress|Completed)?)$`)

// withWords returns the judgement of an object that is being deleted with what its controller says of that: the last of
// its conditions whose reason and message are about trouble.
func withWords(o *Object, own Judgement) Judgement {
	j := own
	var last time.Time
	var words string
	for _, c := range nested.Maps(o.Content, "status", "conditions") {
		kind, status, reason, message := nested.Text(c, "type"), nested.Text(c, "status"), nested.Text(c, "reason"), nested.Text(c, "message")
		since := parsed(nested.Text(c, "lastTransitionTime"))
		if message == "" || since.Before(last) || ordinary.MatchString(reason) || !ofTrouble.MatchString(reason+" "+message) {
			continue
		}
		last, words = since, strings.TrimSpace(kind+"="+status+" "+reason)+": "+message
	}
	if words != "" && !strings.Contains(j.Message, words) {
		j.Message = strings.TrimPrefix(j.Message+"; ", "; ") + words
	}
	return j
}

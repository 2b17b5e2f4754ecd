// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// VerdictList is the machine-readable answer of every command that lists objects.
type VerdictList struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []Item `json:"items"`
	// Answer is complete, incomplete if something that could not be read changes none of the items, or unknown if it may. Objects that do
	// not exist count as read. Errors lists everything.
	Answer string    `json:"answer"`
	Errors []Problem `json:"errors,omitempty"`
}

// Problem is something that could not be read: a type, an object or a place in a file.
type Problem struct {
	Context   string `json:"context,omitempty"` // of the kubeconfig, where there are several
	Reason    string `json:"reason"`            // NotFound, NotServed, Forbidden, Invalid, Unreachable, Failed, Unreadable or TooExpensive
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Message   string `json:"message"`
	// Decisive reports that the answer may be another one with what could not be read.
	Decisive bool `json:"decisive,omitempty"`
}

// NewVerdictList returns the list of items, with what could not be read.
func NewVerdictList(items []Item, problems []Problem) VerdictList {
	list := VerdictList{APIVersion: "tristate.dev/v1alpha1", Kind: "VerdictList", Items: items, Answer: "complete", Errors: problems}
	for _, p := range problems {
		switch {
		case p.Reason == "NotFound":
		case p.Decisive:
			list.Answer = "unknown"
		case list.Answer == "complete":
			list.Answer = "incomplete"
		}
	}
	return list
}

// Item is the answer about one object.
type Item struct {
	Context string         `json:"context,omitempty"` // of the kubeconfig, where there are several
	Object  ObjectRef      `json:"object"`
	Verdict verdict.Status `json:"verdict"`
	Ready   bool           `json:"ready"`
	// Overdue reports that the object has been in progress for longer than its budget, a Go duration, since the time in Since or the last
	// write of its spec.
	Overdue    bool                `json:"overdue,omitempty"`
	Budget     string              `json:"budget,omitempty"`
	Type       string              `json:"type,omitempty"`
	Reason     string              `json:"reason,omitempty"`
	Severity   conditions.Severity `json:"severity,omitempty"`
	Message    string              `json:"message,omitempty"`
	Since      *time.Time          `json:"since,omitempty"`
	Confidence verdict.Confidence  `json:"confidence"`
	Rule       string              `json:"rule,omitempty"`
	Evidence   []relation.Evidence `json:"evidence,omitempty"`
	Causes     []CauseItem         `json:"causes,omitempty"`
	Doubts     []CauseItem         `json:"doubts,omitempty"` // of a healthy root of a tree: the objects that contradict it
	// Contradictions are why the verdict is in doubt, in a few words each.
	Contradictions []string `json:"contradictions,omitempty"`
	// NextLook is when time alone will change the verdict, as at the end of the grace of a new object.
	NextLook *time.Time `json:"nextLook,omitempty"`
	// Explanation is how the verdict was reached, with --explain.
	Explanation *verdict.Explanation `json:"explanation,omitempty"`
	Parent      *ObjectRef           `json:"parent,omitempty"`
	Relation    string               `json:"relation,omitempty"`
	// Logs are those of the container that explains the verdict about a pod that is its own cause, with --logs.
	Logs *Logs `json:"logs,omitempty"`
	// Changes are the edits before the trouble of an object that is its own cause and that can explain it, as of why.
	Changes []ChangeItem `json:"changes,omitempty"`
	// StaleSince is the time since when the object cannot be read, with --watch, because the server does not answer; nil if the answer is up
	// to date.
	StaleSince *time.Time `json:"staleSince,omitempty"`
}

// Staleness is since when and why answers of --watch and wait may be out of date: the server cannot be reached.
type Staleness struct {
	Since   time.Time `json:"since"`
	Message string    `json:"message,omitempty"`
}

// ObjectRef names an object.
type ObjectRef struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// GroupKind returns the kind of the object without its version.
func (o ObjectRef) GroupKind() schema.GroupKind {
	return schema.FromAPIVersionAndKind(o.APIVersion, o.Kind).GroupKind()
}

// CauseItem is one explanation of a verdict.
type CauseItem struct {
	Object   ObjectRef           `json:"object"`
	Type     string              `json:"type,omitempty"`
	Reason   string              `json:"reason,omitempty"`
	Severity conditions.Severity `json:"severity,omitempty"`
	Message  string              `json:"message,omitempty"`
	Within   []string            `json:"within,omitempty"` // the bullets of the message of the object that lead to this one
	Remedy   string              `json:"remedy,omitempty"`
	Since    *time.Time          `json:"since,omitempty"`
	Equals   []ObjectRef         `json:"equals,omitempty"`  // the other objects with this explanation
	Logs     *Logs               `json:"logs,omitempty"`    // of the container that explains it, with --logs
	Changes  []ChangeItem        `json:"changes,omitempty"` // the edits before it that can explain it, the likeliest first, as of why
	Chain    []Step              `json:"chain,omitempty"`   // from the object to the cause, both left out
}

// Step is an object on the way to a cause, with its relation to the one before.
type Step struct {
	Object   ObjectRef `json:"object"`
	Relation string    `json:"relation,omitempty"`
}

// Items returns the objects of trees, each parent before its children, with the causes of each.
func Items(roots ...*relation.Node) []Item {
	out := []Item{}
	for _, root := range roots {
		out = appendItems(out, root, nil)
	}
	return out
}

// Top returns the object at the top of a tree, without those below it.
func Top(root *relation.Node) Item { return itemOf(root, nil) }

func itemOf(n, parent *relation.Node) Item {
	j := n.Answer()
	item := Item{Object: RefOf(n), Verdict: j.Verdict, Ready: j.Ready, Type: j.Type, Reason: j.Reason, Severity: j.Severity,
		Message: j.Message, Confidence: j.Confidence(), Rule: j.Rule, Evidence: j.Evidence, Contradictions: j.Contradictions, Relation: n.Edge}
	if !j.Since.IsZero() {
		since := j.Since.UTC()
		item.Since = &since
	}
	if j.Overdue {
		item.Overdue, item.Budget = true, j.Budget.String()
	}
	if !j.NextLook.IsZero() {
		next := j.NextLook.UTC()
		item.NextLook = &next
	}
	if parent != nil {
		p := RefOf(parent)
		item.Parent = &p
	}
	for _, c := range relation.Causes(n) {
		if c.Node == n {
			continue
		}
		item.Causes = append(item.Causes, causeItem(c))
	}
	if parent == nil {
		for _, c := range relation.Contradictions(n) {
			item.Doubts = append(item.Doubts, causeItem(c))
		}
	}
	return item
}

func appendItems(out []Item, n, parent *relation.Node) []Item {
	out = append(out, itemOf(n, parent))
	if n.Again {
		return out
	}
	for _, child := range n.Children {
		out = appendItems(out, child, n)
	}
	return out
}

func causeItem(c relation.Cause) CauseItem {
	j := c.Node.Judgement
	message, within := unfold(j.Message)
	item := CauseItem{Object: RefOf(c.Node), Type: j.Type, Reason: j.Reason, Severity: j.Severity, Message: message, Within: within,
		Remedy: Advice(c.Node)}
	if !j.Since.IsZero() {
		since := j.Since.UTC()
		item.Since = &since
	}
	for _, n := range c.Nodes[1:] {
		item.Equals = append(item.Equals, RefOf(n))
	}
	for _, n := range c.Chain[min(1, len(c.Chain)-1) : len(c.Chain)-1] {
		item.Chain = append(item.Chain, Step{RefOf(n), n.Edge})
	}
	return item
}

// RefOf names the object of a node, with its apiVersion where it exists.
func RefOf(n *relation.Node) ObjectRef {
	r := ObjectRef{Kind: n.Kind, Namespace: n.Namespace, Name: n.Name}
	if n.Object != nil {
		r.APIVersion = n.Object.APIVersion
	}
	return r
}

// JSON writes one list, item by item.
func JSON(w io.Writer, items iter.Seq[Item], problems ...Problem) error {
	list := NewVerdictList(nil, problems)
	var b bytes.Buffer
	out := bufio.NewWriter(w)
	write := func(indent string, value any) error {
		b.Reset()
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent(indent, " ")
		err := e.Encode(value)
		_, _ = out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) // errors are those of Flush
		return err
	}
	fmt.Fprintf(out, "{\n \"apiVersion\": %q,\n \"kind\": %q,\n \"items\": [", list.APIVersion, list.Kind)
	separator := ""
	for item := range items {
		_, _ = out.WriteString(separator + "\n  ")
		if err := write("  ", item); err != nil {
			return err
		}
		separator = ","
	}
	if separator != "" {
		_, _ = out.WriteString("\n ")
	}
	_, _ = out.WriteString("]")
	fmt.Fprintf(out, ",\n \"answer\": %q", list.Answer)
	if len(problems) > 0 {
		_, _ = out.WriteString(",\n \"errors\": ")
		if err := write(" ", problems); err != nil {
			return err
		}
	}
	_, _ = out.WriteString("\n}\n")
	return out.Flush()
}

// JSONL writes a line for each item, then one for each problem as {"error": {...}}.
func JSONL(w io.Writer, items iter.Seq[Item], problems ...Problem) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for item := range items {
		if err := e.Encode(item); err != nil {
			return err
		}
	}
	for _, problem := range problems {
		line := struct {
			Error Problem `json:"error"`
		}{problem}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// JSONLStale writes the line {"stale": {...}} for answers that are out of date, and {"stale": null} for answers that are up to date again.
func JSONLStale(w io.Writer, s *Staleness) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Stale *Staleness `json:"stale"`
	}{s})
}

// SPDX-License-Identifier: Apache-2.0

package api

import (
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// About is the answer of /api/v1/about: what is shown, and how fresh it is.
type About struct {
	Version  string    `json:"version"`
	Mode     string    `json:"mode"` // cluster, files or story
	Title    string    `json:"title,omitempty"`
	Epoch    string    `json:"epoch"`
	Seq      uint64    `json:"seq"`
	Now      time.Time `json:"now"` // the clock by which ages are computed: that of a dump or a story, where there is one
	Clusters []Cluster `json:"clusters"`
	User     string    `json:"user,omitempty"`    // who asks, where the cluster's sign-in is used
	History  *Store    `json:"history,omitempty"` // absent: nothing is recorded
}

// Cluster is one source of objects.
type Cluster struct {
	Name       string           `json:"name"`             // empty for the only one
	Server     string           `json:"server,omitempty"` // its address, for people
	State      string           `json:"state"`            // starting, live, behind, stale, ended or failed
	StaleSince *time.Time       `json:"staleSince,omitempty"`
	Message    string           `json:"message,omitempty"`
	Objects    int              `json:"objects"`
	Unread     []render.Problem `json:"unread,omitempty"` // what the server itself could not read
}

// Store is the state of the history.
type Store struct {
	Since    *time.Time `json:"since,omitempty"` // of the oldest record
	Records  int        `json:"records"`
	Bytes    int64      `json:"bytes"`
	MaxBytes int64      `json:"maxBytes"`
	OnDisk   bool       `json:"onDisk"`
	Problem  string     `json:"problem,omitempty"` // why it is not on disk
}

// Overview is the answer of /api/v1/overview: the causes of everything that is unhealthy, those that matter most first.
type Overview struct {
	Now         time.Time        `json:"now"`
	Computed    time.Time        `json:"computed"` // when the causes were computed; verdicts may be newer
	Counts      Counts           `json:"counts"`   // of the filter
	Causes      []Cause          `json:"causes"`
	MoreCauses  int              `json:"moreCauses,omitempty"`
	Unread      []render.Problem `json:"unread,omitempty"`
	Hidden      []Hidden         `json:"hidden,omitempty"`
	Approximate string           `json:"approximate,omitempty"` // why causes may be incomplete; empty: they are complete
}

// Cause is what explains unhealthy objects.
type Cause struct {
	ID          string              `json:"id"`
	Object      *Row                `json:"object,omitempty"` // the one of the equals that has been unhealthy for longest; absent where hidden
	Missing     bool                `json:"missing,omitempty"`
	Unexplained bool                `json:"unexplained,omitempty"` // no rule knows why
	Looking     bool                `json:"looking,omitempty"`     // kinds below it were not read yet: the cause may be another one
	Like        int                 `json:"like"`                  // how many more objects are the same cause, healthy ones too
	LikeIDs     []string            `json:"likeIds,omitempty"`     // the first of them
	Namespaces  int                 `json:"namespaces,omitempty"`  // that the objects of the cause are in; only in [Overview]
	Workloads   int                 `json:"workloads,omitempty"`   // that the objects of the cause belong to; only in [Overview]
	Workload    string              `json:"workload,omitempty"`    // the id of the only one
	Explains    int                 `json:"explains"`              // how many unhealthy objects it explains, without those of the cause
	ExplainIDs  []string            `json:"explainIds,omitempty"`  // the first of them
	Condition   string              `json:"condition,omitempty"`   // as Ready = False
	Field       string              `json:"field,omitempty"`       // the deciding field with its value
	Remedy      string              `json:"remedy,omitempty"`
	Evidence    []relation.Evidence `json:"evidence,omitempty"`
	Others      []OtherCondition    `json:"others,omitempty"` // its further bad conditions
	Events      []Event             `json:"events,omitempty"` // only in [Why]
	Chain       []render.Step       `json:"chain,omitempty"`  // from the object to the cause, both left out; only in [Why]
	Equals      []render.ObjectRef  `json:"equals,omitempty"` // only in [Why]; at most 100
	NextLook    *time.Time          `json:"nextLook,omitempty"`
}

// OtherCondition is a further bad condition of an object.
type OtherCondition struct {
	Type    string `json:"type,omitempty"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// Event is an event of Kubernetes about an object.
type Event struct {
	Type    string     `json:"type,omitempty"`
	Reason  string     `json:"reason"`
	Message string     `json:"message,omitempty"`
	Count   int64      `json:"count"`
	First   *time.Time `json:"first,omitempty"`
	Last    *time.Time `json:"last,omitempty"`
}

// Window is the answer of /api/v1/objects: a part of the objects of a filter, sorted and counted by the server.
type Window struct {
	Epoch    string           `json:"epoch"`
	Seq      uint64           `json:"seq"`
	Now      time.Time        `json:"now"`
	Total    int              `json:"total"`    // objects that the reader may see
	Filtered int              `json:"filtered"` // of these, those of the filter
	Counts   Counts           `json:"counts"`   // of the filter
	Offset   int              `json:"offset"`
	Rows     []Row            `json:"rows"`
	Unread   []render.Problem `json:"unread,omitempty"`
	Hidden   []Hidden         `json:"hidden,omitempty"`
}

// Facets is the answer of /api/v1/facets: the values that a filter can have, each counted as if its own dimension were not filtered.
type Facets struct {
	Clusters   []Facet `json:"clusters"`
	Namespaces []Facet `json:"namespaces"`
	Kinds      []Facet `json:"kinds"`
	Verdicts   []Facet `json:"verdicts"`
}

// Facet is one value of a filter.
type Facet struct {
	Value     string `json:"value"` // as the parameter of the filter takes it
	Count     int    `json:"count"`
	Unhealthy int    `json:"unhealthy"`
}

// Tree is the answer of /api/v1/tree: an object with what is below it, each parent before its children, and equal children joined.
type Tree struct {
	Now    time.Time        `json:"now"`
	Nodes  []TreeNode       `json:"nodes"` // the first is the root
	Unread []render.Problem `json:"unread,omitempty"`
	Hidden []Hidden         `json:"hidden,omitempty"`
}

// TreeNode is an object, or several equal ones, at one place of a tree.
type TreeNode struct {
	Key       string   `json:"key"`              // of this place
	Parent    string   `json:"parent,omitempty"` // the key of its parent; empty for the root
	Relation  string   `json:"relation,omitempty"`
	Row       *Row     `json:"row,omitempty"` // absent for a group and where hidden
	Missing   bool     `json:"missing,omitempty"`
	Again     bool     `json:"again,omitempty"` // it is elsewhere in the tree, with its children
	Group     *Group   `json:"group,omitempty"`
	Children  int      `json:"children"`         // how many objects are directly below it
	Left      int      `json:"left,omitempty"`   // how many more there are, healthy ones first, that are too many for a tree
	Unhealthy int      `json:"unhealthy"`        // how many of all below it are unhealthy
	Open      bool     `json:"open"`             // its children are in the answer
	OnPath    bool     `json:"onPath,omitempty"` // it is on the way from the root to a cause
	Causes    []string `json:"causes,omitempty"` // of the root: the ids of the objects that explain it
}

// Group is a number of equal children.
type Group struct {
	Kind    string         `json:"kind"` // Kind.group
	Verdict verdict.Status `json:"verdict"`
	Reason  string         `json:"reason,omitempty"`
	Count   int            `json:"count"`
	IDs     []string       `json:"ids"`  // the first of them
	Open    string         `json:"open"` // the value of the parameter group that opens it
}

// Why is the answer of /api/v1/why: why an object is as it is, and what to do.
type Why struct {
	Now         time.Time        `json:"now"`
	Row         Row              `json:"row"`
	Item        render.Item      `json:"item"`     // as why -o json has it
	Sentence    string           `json:"sentence"` // the answer in one sentence
	Causes      []Cause          `json:"causes"`
	Doubts      []Cause          `json:"doubts,omitempty"` // of a healthy object: what contradicts it
	Conditions  []ConditionRow   `json:"conditions,omitempty"`
	Events      []Event          `json:"events,omitempty"` // about the object itself, the newest first
	EventsError string           `json:"eventsError,omitempty"`
	Commands    []Command        `json:"commands"`
	Labels      []Label          `json:"labels,omitempty"`
	Unread      []render.Problem `json:"unread,omitempty"`
	Hidden      []Hidden         `json:"hidden,omitempty"`
}

// ConditionRow is a condition of the object, as it has it.
type ConditionRow struct {
	Type    string     `json:"type"`
	Status  string     `json:"status"`
	Reason  string     `json:"reason,omitempty"`
	Message string     `json:"message,omitempty"`
	Since   *time.Time `json:"since,omitempty"`
	Class   string     `json:"class,omitempty"`   // of its cell in the catalog: ok, progress, transient, terminal or suspended
	Meaning string     `json:"meaning,omitempty"` // of its cell in the catalog
}

// Command is a command that shows the same in a terminal.
type Command struct {
	Title   string `json:"title"`
	Command string `json:"command"` // quoted for a shell
}

// Label is a label of an object.
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SPDX-License-Identifier: Apache-2.0

package catalog

// APIVersion and DocumentKind identify a catalog document.
const (
	APIVersion   = "tristate.dev/v1alpha1"
	DocumentKind = "ConditionCatalog"
)

// Document is one catalog: the declaration of one kind's conditions, in a file or as an object of a cluster. The doc
// comments of this file are the descriptions in the JSON Schema and in the CustomResourceDefinition. The tag change classifies a
// change of a field for those who read conditions: "LEVEL ID: SUBJECT", with the level breaking, note or compatible and the
// subject of the sentence "... changed", or "-" where package diff has code for the field.
type Document struct {
	// Always tristate.dev/v1alpha1.
	APIVersion string `json:"apiVersion" required:"true" enum:"tristate.dev/v1alpha1" change:"-"`
	// Always ConditionCatalog.
	Kind     string   `json:"kind" required:"true" enum:"ConditionCatalog" change:"-"`
	Metadata Metadata `json:"metadata" required:"true" change:"-"`
	Spec     Spec     `json:"spec" required:"true" change:"-"`
}

// Metadata names the document.
type Metadata struct {
	// By convention plural.group of the kind, for example clusters.cluster.x-k8s.io.
	Name string `json:"name" required:"true" minLength:"1" change:"compatible metadata-changed: the name of the catalog"`
	// Labels of the object, kept as they are.
	Labels map[string]string `json:"labels,omitempty" change:"compatible metadata-changed: the labels of the catalog"`
	// Annotations of the object, kept as they are.
	Annotations map[string]string `json:"annotations,omitempty" change:"compatible metadata-changed: the annotations of the catalog"`
}

// Spec declares the conditions of one kind.
type Spec struct {
	// The kind whose conditions the catalog declares.
	For For `json:"for" required:"true" change:"-"`
	// Where the controller was read whose words verdicts and states judge: owner/repository@commit, path. The date of the commit may follow,
	// as "of 2026-08-20". Without a source: none, and the reason.
	Source string `json:"source,omitempty" format:"source" change:"compatible source-changed: where the controller was read"`
	// The named profile of defaults and rules. In capi-v1beta2 and knative, which are for reading, conditions are derived by rules alone.
	Dialect string `json:"dialect,omitempty" enum:"core,kstatus,knative,capi-v1beta1,capi-v1beta2,openshift,gateway" change:"breaking dialect-changed: the dialect"`
	// The controller that writes the derived conditions of the kind. Without it the catalog is only read, and tristate run writes nothing.
	Manage *Manage `json:"manage,omitempty" change:"note management-changed: who manages the kind"`
	// CEL over self and related, bool: while it is true, no condition of the object is derived or written.
	Paused string `json:"paused,omitempty" cel:"bool" change:"note management-changed: when an object is left as it is"`
	// Path of the conditions list in the object. Default status.conditions. With [*] behind a list each of its elements has a list of
	// conditions, as in status.listeners[*].conditions; the worst one counts, and no condition is derived.
	Path string `json:"path,omitempty" change:"breaking path-moved: the place of the conditions"`
	// Named CEL expressions over self, used as variables.NAME in the others. Those that read related are for the rules of derived conditions.
	Variables map[string]string `json:"variables,omitempty" cel:"dyn" change:"compatible expression-changed: a variable of expressions"`
	// Edges to other objects, used as related.NAME in expressions.
	Relations map[string]Relation `json:"relations,omitempty" change:"note relation-changed: how the kind is related to others"`
	// Edges that trees and causes follow, by the fields of objects alone, in order: an object is below another one by the first that leads to
	// it. A user's come before the shipped ones, and replace those of the same kind and name. The spec of a kind that has any is not searched
	// for further references.
	Tree []Branch `json:"tree,omitempty" change:"note relation-changed: what a tree shows below the kind"`
	// The children that count in the verdict of an object, for a kind whose own conditions do not cover them. Without it, none.
	Children *Children `json:"children,omitempty" change:"note verdict-changed: which children count in the verdict"`
	// Reasons that several condition types have at once, in order of precedence. The generated code reports each by one call. Their cells come
	// before the reasons that a type lists itself, those of class ok behind them. A cell that a type lists itself keeps its place and its
	// keys, has the others from the fact, and has a call of its own.
	Facts []Reason `json:"facts,omitempty" limit:"reasons" change:"compatible fact-changed: which cells are reported together"`
	// The condition types, in the order of the list. Optional in a catalog that only declares relations, states or verdicts.
	Conditions []Condition `json:"conditions,omitempty" limit:"types" change:"-"`
	// Where the controller records the observed generation: in status.observedGeneration, in each condition, in both or nowhere;
	// success: in the status, and only once the generation was carried out, so that a failure counts whatever the generation is. Default: the
	// dialect's.
	ObservedGeneration string `json:"observedGeneration,omitempty" enum:"status,conditions,both,none,success" change:"breaking generation-changed: the place of the observed generation"`
	// Where the controller stores when the waits began that have a deadline or a hold: in status.waits. Without it the last transition of the
	// condition counts, which is exact only for a deadline since the cell whose status no other reason of the type has; a hold and a time that
	// the controller sets need it.
	Waits string `json:"waits,omitempty" enum:"status" change:"compatible deadline-changed: where the beginnings of waits are stored"`
	// The words of status.phase that follow from the conditions. The first one that applies wins; where none does, or none is declared, the
	// controller decides.
	Phases []Phase `json:"phases,omitempty" change:"note phase-changed: the words of status.phase"`
	// Groups of types of which at most one is True at a time.
	Exclusive [][]string `json:"exclusive,omitempty" minLength:"1" change:"note exclusive-changed: which types exclude each other"`
	// Former types of the kind: a pass removes them from the list. A renamed type is an alias instead.
	Retired []string `json:"retired,omitempty" change:"-"`
	// Rules that judge an object of the kind. Deletion is checked first; then the first rule that is true decides, then states, then
	// conditions. While the observed generation is not that of the object, neither states nor rules that read the status decide: the
	// status describes another spec.
	Verdicts []Verdict `json:"verdicts,omitempty" change:"note verdict-changed: how an object is judged"`
	// Scalar fields and conditions whose values are states. The first one with a verdict for its value decides.
	States []State `json:"states,omitempty" change:"note verdict-changed: how an object is judged by its fields"`
	// How long an object of the kind may be in progress before it is overdue; 0s: for ever, as waiting is the design. A deadline of the object
	// itself, and that of a cell, take precedence. Go duration. Default: 15m.
	Deadline string `json:"deadline,omitempty" format:"duration" change:"note deadline-changed: how long an object may be in progress"`
	// Condition types, and fields as status.NAME, that verdicts and states do not read and that do not describe health. The verdict
	// Current is kept only if no other condition is unhealthy and no other error field is set, and any other verdict of them only if
	// no other condition reports a failure, wherever in the status it is.
	Ignores []string `json:"ignores,omitempty" change:"note verdict-changed: which conditions are ignored"`
	// Remedies by the reason of a verdict: the reason of a condition, or the value of a field. NAME is replaced by the name of the object.
	// The remedy that a condition declares takes precedence.
	Remedies map[string]string `json:"remedies,omitempty" change:"compatible remedy-changed: what can be done about a reason"`
}

// Manage puts a kind under the management of one controller.
type Manage struct {
	// The field manager that writes the derived conditions. tristate run writes the kinds whose manager has its own name, which is
	// tristate unless it is started with another one; a kind of any other manager it only reads.
	Manager string `json:"manager" required:"true" minLength:"1"`
	// Take the derived types over from their current managers. Without it, a kind whose derived types another manager owns is not
	// written.
	Adopt bool `json:"adopt,omitempty"`
}

// Verdict is a rule that judges an object.
type Verdict struct {
	// CEL over self, bool. False if it reads a missing field. Empty: always true.
	When string `json:"when,omitempty" cel:"bool"`
	// The verdict.
	Verdict string `json:"verdict" required:"true" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// CamelCase. Default: the reason of the first condition that when reads, otherwise the verdict.
	Reason string `json:"reason,omitempty"`
	// CEL over self that returns the message, a string. Default: the message of the first condition that when reads.
	Message string `json:"message,omitempty" cel:"string"`
}

// Phase is a word of status.phase.
type Phase struct {
	// The word.
	Phase string `json:"phase" required:"true" minLength:"1"`
	// Cells that make it, TYPE=STATUS or TYPE=STATUS/REASON; one of them is enough. Empty: it is the word of every other object.
	Cells []string `json:"cells,omitempty" minLength:"1"`
	// It is the word of the first status, which has the cells that are initial, and of no other.
	Initial bool `json:"initial,omitempty"`
}

// Children makes the objects below an object count in its verdict, where they are known: Current becomes InProgress while one of
// them is in progress, is being deleted or is missing, Degraded while one is Degraded, and Failed while one has failed, which also turns
// InProgress into Failed. Suspended children count as healthy; a child without a known verdict does not count. The children are those of a
// tree: objects of the relations with role owns, objects that name self as their owner, and members of its inventory.
type Children struct {
	// CEL over self, bool: children count. A missing field means that they do not. Empty: they always do.
	When string `json:"when,omitempty" cel:"bool"`
	// CEL over self, item and related, bool: a child counts. A missing field means that it does. Empty: each does.
	Where string `json:"where,omitempty" cel:"bool"`
	// CEL over self and related that returns references, in the forms of the ref of a relation, to further objects that count. A missing field
	// means that there are none.
	Refs string `json:"refs,omitempty" cel:"dyn"`
}

// State is a scalar field or a condition whose values are states. Exactly one of path and condition is required.
type State struct {
	// Path of the field, for example status.phase.
	Path string `json:"path,omitempty" minLength:"1"`
	// The type of the condition. Its values are STATUS/REASON and STATUS, for example False/NoMatchingNode and False;
	// STATUS/REASON takes precedence.
	Condition string `json:"condition,omitempty" minLength:"1"`
	// The verdict for each value.
	Words map[string]string `json:"words" required:"true" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// The verdict for any other value. Empty: none.
	Otherwise string `json:"otherwise,omitempty" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// The verdict for an absent or empty field. Empty: none.
	Absent string `json:"absent,omitempty" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// Path of the message, for example status.message. Default: the message of the condition, or the name and value of the field.
	Message string `json:"message,omitempty"`
}

// For names a kind.
type For struct {
	// API group; empty for the core group. An asterisk, with the kind *, matches every group but those of Kubernetes itself; such a catalog
	// only says when children count, and what objects of any kind share.
	Group string `json:"group,omitempty" change:"-"`
	// Kind, for example Cluster. An asterisk matches every kind of the group that has no catalog of its own; such a catalog
	// only judges. Either kind or kinds is required.
	Kind string `json:"kind,omitempty" minLength:"1" change:"-"`
	// Several kinds of the group, to all of which the document applies; without a group each with its own, as Kind.group, or *.group for
	// every kind of it. Such a document derives no conditions.
	Kinds []string `json:"kinds,omitempty" minLength:"1" change:"-"`
	// API versions to which the catalog applies, the preferred one first. Empty: every version.
	Versions []string `json:"versions,omitempty" change:"note versions-changed: the versions that the catalog is for"`
	// API versions in which a controller that manages the kind, such as tristate run, derives the conditions as well. Other readers judge
	// objects of these versions by another catalog, or by what their controllers wrote. Not without versions.
	Managed []string `json:"managed,omitempty" change:"note versions-changed: the versions that the catalog is for"`
}

// Relation is an edge from self to other objects. At most one of ref, refBy, owned and selector selects
// them, and where filters the selection; without a selector where filters all objects of the kind. An expression that reads a
// missing field selects nothing.
type Relation struct {
	// The kind of the related objects, as Kind.group (Kind alone in the core group). Optional with ref, whose references
	// name it.
	Kind string `json:"kind,omitempty"`
	// CEL over self that returns an object reference ({apiVersion, kind, name, namespace}), the name of an object, or a list of either.
	Ref string `json:"ref,omitempty" cel:"dyn"`
	// CEL over item that returns its reference to self, in one of the forms of ref.
	RefBy string `json:"refBy,omitempty" cel:"dyn"`
	// The related objects are owned by self.
	Owned bool `json:"owned,omitempty"`
	// CEL over self that returns a label selector ({matchLabels, matchExpressions}) for the related objects.
	Selector string `json:"selector,omitempty" cel:"dyn"`
	// CEL that returns the labels of item that selector looks at. Default: the labels of the metadata.
	Labels string `json:"labels,omitempty" cel:"dyn"`
	// CEL over self and item, bool: filters the related objects.
	Where string `json:"where,omitempty" cel:"bool"`
	// Namespaces of the related objects: that of self (the default; every namespace for a cluster-scoped self) or any.
	Namespace string `json:"namespace,omitempty" enum:"same,any"`
	// At most one object is related: related.NAME is that object, or absent. The default with ref. Otherwise related.NAME is a
	// list ordered by namespace and name.
	Single *bool `json:"single,omitempty"`
	// Whether a tree shows the related objects below self. Default: below; with refBy, hidden.
	Tree string `json:"tree,omitempty" enum:"below,hidden"`
	// How self uses the related objects. owns (the default): they are its components, and an unhealthy one explains an unhealthy self.
	// reads: a configuration or a template, which explains an unhealthy self only if it is missing or broken. writes: an output, which
	// explains nothing.
	Role string `json:"role,omitempty" enum:"owns,reads,writes"`
	// One sentence for people.
	Meaning string `json:"meaning,omitempty"`
}

// Branch is an edge from self to other objects that is found without expressions, and that no expression reads.
type Branch struct {
	// Why self leads to the objects, in a word or two. Branches may share a name.
	Relation string `json:"relation" required:"true" minLength:"1"`
	// How. refs (the default): fields of self name the objects. refsBy: fields of the objects name self. owned: the objects name self as their
	// owner; trees show these without a branch, which only says that they are to be read. selector, labels: a label selector of self, or a map
	// of labels, matches the objects, which are pods. inventory: fields of self hold NAMESPACE_NAME_GROUP_KIND. shares: self and the objects
	// have a value in common. remains: self is a namespace or a definition that is being deleted, and the objects are in it or of it and are
	// being deleted too.
	Way string `json:"way,omitempty" enum:"refs,refsBy,owned,selector,labels,inventory,shares,remains"`
	// The fields, as paths such as spec.volumes.secret, which go through all items of a list. A field that names an object is its name,
	// NAMESPACE/NAME, a mapping with name, claimName or secretName and perhaps kind, apiVersion, apiGroup, group, namespace and optional, or a
	// list of these.
	Paths []string `json:"paths,omitempty"`
	// The kind of the objects, as Kind.group (Kind alone in the core group). Default: that of a reference, or any.
	Kind string `json:"kind,omitempty"`
	// The namespace of the objects that a cluster-scoped self names without one.
	Namespace string `json:"namespace,omitempty"`
	// How self uses the objects. owns (the default), reads and writes: as the role of a relation. once: as reads, and a healthy self goes on
	// without them. hidden: only a tree that goes up shows them.
	Role string `json:"role,omitempty" enum:"owns,reads,once,writes,hidden"`
	// With shares: the parts of the value in self: namespace, name, uid, label:KEY, annotation:KEY or a field as spec.NAME. An object without
	// one of them shares nothing.
	Self []string `json:"self,omitempty"`
	// With shares: the parts of the value in the objects. A slash joins parts, as in NAMESPACE/NAME.
	Item []string `json:"item,omitempty"`
	// With shares: a selector, as owner=helm,status!=superseded, that the labels of self match.
	Labels string `json:"labels,omitempty"`
}

// Condition declares one condition type.
type Condition struct {
	// The condition type.
	Type string `json:"type" required:"true" minLength:"1" change:"-"`
	// Former or misspelt names, which are read as this type and never written.
	Aliases []string `json:"aliases,omitempty" change:"-"`
	// What True means, in one sentence.
	Meaning string `json:"meaning" required:"true" minLength:"1" change:"note meaning-changed: the meaning"`
	// The healthy status: positive (True), negative (False) or neutral (neither).
	Polarity string `json:"polarity,omitempty" enum:"positive,negative,neutral" change:"breaking polarity-changed: the polarity"`
	// Its part in the summary: it is the summary, it counts in it (dependent), or it does not (informational).
	Role string `json:"role,omitempty" enum:"summary,dependent,informational" change:"breaking summary-changed: the role"`
	// When the condition is in the list. once-true: absent until it was True for the first time.
	Presence string `json:"presence,omitempty" enum:"always,when-true,when-known,once-true" change:"breaking presence-changed: when the condition is in the list"`
	// How the status may change: level (freely), monotonic (never back from True), terminal (never again once it is True),
	// completion (never again once it is True or False, as Succeeded of a Job), per-run (starts anew with each run).
	Lifecycle string `json:"lifecycle,omitempty" enum:"level,monotonic,terminal,completion,per-run" change:"breaking lifecycle-changed: how the condition moves"`
	// With lifecycle per-run: CEL over self and related, bool; a run starts when it becomes true and ends when it becomes false.
	// Between runs the condition keeps the outcome of the last one; before the first run it is absent.
	Run string `json:"run,omitempty" cel:"bool" change:"breaking lifecycle-changed: what a run is"`
	// The condition of a type to which a pass reported nothing: the stored one (keep), Unknown, or Unknown and an error of the pass (fail).
	NotReached string `json:"notReached,omitempty" enum:"keep,unknown,fail" change:"note not-reached-changed: what a pass does that does not reach the type"`
	// A missing condition does not count as Unknown in the summary, and a wait for the condition accepts any cell of class ok: it may stay
	// False by design.
	Optional bool `json:"optional,omitempty" change:"breaking summary-changed: whether a missing condition counts"`
	// The possible statuses of the type. Default: those of its reasons; for a derived type, those that it can derive.
	Statuses []string `json:"statuses,omitempty" enum:"True,False,Unknown" change:"-"`
	// How the condition is derived. Without it, a controller reports the condition.
	Derive *Derive `json:"derive,omitempty" change:"note derivation-changed: how the condition is derived"`
	// The reasons, in order of precedence. A mirror, aggregate or summary also has the reasons of the conditions that it is derived from.
	Reasons []Reason `json:"reasons,omitempty" limit:"reasons" change:"-"`
	// Former reasons of the type. They are never used again.
	Retired []string `json:"retired,omitempty" change:"-"`
	// Opens the set of reasons: one sentence on where further ones are from, and how a client treats them. Empty: the set is closed, and
	// only a new version of the catalog adds a reason.
	Open string `json:"open,omitempty" change:"-"`
	// Other writers of the type, besides the controller of the kind.
	Writers []Writer `json:"writers,omitempty" change:"note writer-changed: who else writes the condition"`
	// Deprecation of the type.
	Deprecated *Deprecation `json:"deprecated,omitempty" change:"-"`
}

// Deprecation announces the removal of a type or reason. It may be written until then, and is read as its successor.
type Deprecation struct {
	// The version or date since which it is deprecated.
	Since string `json:"since,omitempty"`
	// The earliest version or date of the removal.
	EarliestRemoval string `json:"earliestRemoval,omitempty"`
	// Its successor: a declared type, or a reason of the same type, that is not deprecated itself.
	RenamedTo string `json:"renamedTo,omitempty"`
	// Why, and what to use instead if there is no successor.
	Note string `json:"note,omitempty"`
}

// Writer is a controller that writes a condition of another controller's kind.
type Writer struct {
	// Its kind, as Kind.group.
	Kind string `json:"kind,omitempty"`
	// Its field manager.
	Manager string `json:"manager,omitempty"`
	// The reasons that it writes. Empty: any declared one.
	Reasons []string `json:"reasons,omitempty"`
}

// Reason declares one cell, or with sets, as a fact, one on each of several types.
type Reason struct {
	// The reason; may be empty in the capi-v1beta1 dialect with status True.
	Reason string `json:"reason" required:"true" change:"-"`
	// The status of the cell.
	Status string `json:"status,omitempty" unless:"sets" enum:"True,False,Unknown" change:"-"`
	// In place of the status, of a fact: the status of each type, as STATUS, or STATUS/REASON for a cell of the type with another reason, for
	// example {Ready: "False", Progressing: False/Failed}. A fact has a class and none of status, severity, aliases, hold and deprecated.
	Sets map[string]string `json:"sets,omitempty" limit:"reasons" change:"-"`
	// The class of the cell: ok, progress, transient (it is retried), terminal (a person has to act) or suspended (off on purpose).
	Class string `json:"class,omitempty" enum:"ok,progress,transient,terminal,suspended" change:"note class-changed: the class"`
	// Error, Warning or Info; only on unhealthy cells.
	Severity string `json:"severity,omitempty" enum:"Error,Warning,Info" change:"note severity-changed: the severity"`
	// One sentence. Required, except for the cell of a fact.
	Meaning string `json:"meaning,omitempty" minLength:"1" change:"note meaning-changed: the meaning"`
	// What a person can do to resolve it.
	Remedy string `json:"remedy,omitempty" change:"compatible remedy-changed: the remedy"`
	// How long until the controller tries again while the condition has the reason. Go duration, at least 1s.
	Retry string `json:"retry,omitempty" format:"duration" change:"compatible retry-changed: when the controller tries again"`
	// How long the cell has to be reported without a break before it is published; until then the condition has another reported cell, or
	// stays as it is. It needs waits, belongs to one reason of a status, and to a type without deadlines. Go duration; the controller may set
	// another one for an object.
	Hold string `json:"hold,omitempty" format:"duration" change:"note hold-changed: how long the cell has to last before it is published"`
	// The first status of an object has the cell, before its facts are known.
	Initial bool `json:"initial,omitempty" change:"note initial-changed: how the conditions begin"`
	// How long the cell may last, and what follows; of a fact, on the types that have the reason that follows.
	Deadline *Deadline `json:"deadline,omitempty" change:"note deadline-changed: how long the condition may be in progress"`
	// Former or misspelt names, which are read as this reason and never written.
	Aliases []string `json:"aliases,omitempty" change:"-"`
	// The message that generated code writes. %s in it is the text that the call formats; without %s the call has no argument. Default: what
	// the call formats if the class is transient or terminal, and otherwise nothing.
	Message string `json:"message,omitempty" minLength:"1" change:"breaking message-contract-changed: what messages look like"`
	// Deprecation of the reason.
	Deprecated *Deprecation `json:"deprecated,omitempty" change:"-"`
}

// Deadline is how long a cell may last. The controller publishes what follows when it is over, and takes it back when the condition has
// another cell; a verdict of InProgress that rests on the cell is overdue by then.
type Deadline struct {
	// Go duration, more than 0. The controller may set another one for an object, and stores its end. Empty: only the controller sets one,
	// which needs waits.
	After string `json:"after,omitempty" format:"duration"`
	// From when it counts: cell (since the condition got the cell), generation (since it got a cell with a deadline for this generation of the
	// object), progress (since the controller reported progress, or the condition got the cell; not while it reports that there is no work to
	// wait for). Default: cell.
	Since string `json:"since,omitempty" enum:"cell,generation,progress"`
	// The reason of the type that follows. Without it the cell stays, and in dialect kstatus Stalled becomes True with
	// ProgressDeadlineExceeded.
	Then string `json:"then,omitempty"`
}

// Derive declares how a condition is computed: by one of summary, mirror and aggregate, by rules, or by one and then the other.
type Derive struct {
	// When it is computed: read, whenever an object is looked at, and never written. It is then declared with rules, in a document whose
	// conditions are all of this sort. Empty: by the controller, which writes it.
	At string `json:"at,omitempty" enum:"read"`
	// Computed from other types of the same object.
	Summary *Summary `json:"summary,omitempty"`
	// Copied from a condition of one related object, without counter and tolerate.
	Mirror *Aggregate `json:"mirror,omitempty"`
	// Merged from a condition of several related objects.
	Aggregate *Aggregate `json:"aggregate,omitempty"`
	// Computed by expressions. The first rule that is true decides. With summary, mirror or aggregate the rules apply if that returns no
	// condition.
	Rules []Rule `json:"rules,omitempty"`
}

// Merges reports whether the condition is merged from others; rules then apply only if that returns no condition.
func (d *Derive) Merges() bool { return d.Summary != nil || d.Mirror != nil || d.Aggregate != nil }

// Summary merges types of the same object.
type Summary struct {
	// Types in order of importance. Empty: every dependent type in declared order.
	Of []string `json:"of,omitempty"`
	// The message begins with "x of y completed" while the condition is unhealthy.
	Counter bool `json:"counter,omitempty"`
	// How a type that is not reported counts: not at all (skip), or as Unknown. Default: the dialect's.
	Missing string `json:"missing,omitempty" enum:"skip,unknown"`
	// Of equally important types the one whose status changed last comes first (dialects with the native rules). Default: the order of the
	// types decides.
	Recent bool `json:"recent,omitempty"`
}

// Aggregate copies or merges a condition of related objects.
type Aggregate struct {
	// The relation.
	Of string `json:"of" required:"true" minLength:"1"`
	// The type on the related objects. Default: Ready.
	Type string `json:"type,omitempty"`
	// The message begins with "x of y completed" while the condition is unhealthy.
	Counter bool `json:"counter,omitempty"`
	// How an object without the condition counts: not at all (skip), or as Unknown. Default: the dialect's.
	Missing string `json:"missing,omitempty" enum:"skip,unknown"`
	// Related objects that do not count while they are unhealthy.
	Tolerate []Tolerance `json:"tolerate,omitempty"`
}

// Tolerance excludes unhealthy objects from an aggregate.
type Tolerance struct {
	// CEL over self and related, bool: when the tolerance applies. Empty: always.
	While string `json:"while,omitempty" cel:"bool"`
	// CEL over self and item, bool: which objects are tolerated.
	Items string `json:"items" required:"true" minLength:"1" cel:"bool"`
	// The largest number of objects to exclude, in the order of namespace and name. Further unhealthy objects count.
	Max int `json:"max" required:"true" minimum:"1"`
}

// Rule chooses a cell if its expression is true.
type Rule struct {
	// CEL over self, related and variables, bool. Empty: always true.
	When string `json:"when,omitempty" cel:"bool"`
	// A declared reason of the type.
	Reason string `json:"reason" required:"true"`
	// CEL that returns the message, a string.
	Message string `json:"message,omitempty" cel:"string"`
}

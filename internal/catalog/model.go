// SPDX-License-Identifier: Apache-2.0

package catalog

// APIVersion and DocumentKind identify a catalog document.
const (
	APIVersion   = "tristate.dev/v1alpha1"
	DocumentKind = "ConditionCatalog"
)

// Document is one catalog: the declaration of one kind's conditions, as it stands in a file or in the cluster. Doc
// comments of this file are the descriptions in the JSON Schema and in the CustomResourceDefinition.
type Document struct {
	// Always tristate.dev/v1alpha1.
	APIVersion string `json:"apiVersion" required:"true" enum:"tristate.dev/v1alpha1"`
	// Always ConditionCatalog.
	Kind     string   `json:"kind" required:"true" enum:"ConditionCatalog"`
	Metadata Metadata `json:"metadata" required:"true"`
	Spec     Spec     `json:"spec" required:"true"`
}

// Metadata names the document.
type Metadata struct {
	// By convention plural.group of the kind, for example clusters.cluster.x-k8s.io.
	Name string `json:"name" required:"true" minLength:"1"`
	// Kept as they are.
	Labels map[string]string `json:"labels,omitempty"`
	// Kept as they are.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Spec declares the conditions of one kind.
type Spec struct {
	// The kind that this catalog is for.
	For For `json:"for" required:"true"`
	// The named profile of defaults and rules.
	Dialect string `json:"dialect,omitempty" enum:"core,kstatus,knative,capi-v1beta1,capi-v1beta2,openshift,gateway"`
	// Who writes the derived conditions of the kind. Without it the catalog is for reading: tristate run writes nothing.
	Manage *Manage `json:"manage,omitempty"`
	// CEL over self and related, bool: while it holds, the object is left as it is and nothing is derived for it.
	Paused string `json:"paused,omitempty" cel:"bool"`
	// Where the conditions list stands in the object. Default status.conditions. With [*] behind a list there is one in each of its
	// elements, as in status.listeners[*].conditions; the worst of them counts, and no condition is derived.
	Path string `json:"path,omitempty"`
	// Named CEL expressions over self, used as variables.NAME in the others.
	Variables map[string]string `json:"variables,omitempty" cel:"dyn"`
	// Declared edges to other objects, used as related.NAME in expressions.
	Relations map[string]Relation `json:"relations,omitempty"`
	// Which objects below an object of the kind count in its verdict, for a kind whose own conditions do not say how they are. Without it none does.
	Children *Children `json:"children,omitempty"`
	// The condition types, in the order in which they stand in the list. May be left out where a catalog only says how its
	// kind is related or judged.
	Conditions []Condition `json:"conditions,omitempty"`
	// Field manager of the controller that reports the conditions which are not derived.
	Writer string `json:"writer,omitempty"`
	// Where the kind says which generation it observed: in status.observedGeneration, in each condition, in both or nowhere. Empty:
	// as the dialect has it.
	ObservedGeneration string `json:"observedGeneration,omitempty" enum:"status,conditions,both,none"`
	// CEL over self, bool: the controller has nothing left to do. Default: the observed generation is the current one and no
	// condition is of class progress.
	Settled string `json:"settled,omitempty" cel:"bool"`
	// Conditions of other kinds that the controller of this kind writes. The other kind names it among the writers of the type.
	Writes []Write `json:"writes,omitempty"`
	// Reasons that several kinds of the system share; documented once, in the first catalog of a file. At least one kind of the file has
	// each of them.
	Shared []SharedReason `json:"shared,omitempty"`
	// Groups of types of which at most one is True at a time.
	Exclusive [][]string `json:"exclusive,omitempty" minLength:"1"`
	// Types that the kind had once: whoever writes its conditions takes them out of the list. A renamed type is an alias instead.
	Retired []string `json:"retired,omitempty"`
	// When a condition is rewritten too often because of its message alone. Without it, never.
	Churn *Churn `json:"churn,omitempty"`
	// How an object of the kind is judged where conditions do not say it; the first that holds decides, and where none
	// does, states and then conditions do. Deletion comes before. While the observed generation is not the one of the
	// object, neither states nor rules that read the status decide: what it says is about another spec.
	Verdicts []Verdict `json:"verdicts,omitempty"`
	// Scalar fields and conditions whose words are states; the first that has an answer decides.
	States []State `json:"states,omitempty"`
	// Condition types, and fields as status.NAME, that verdicts and states do not read and that say nothing about health. An answer of
	// Current stands only if no other condition is bad and no other field for errors holds one.
	Ignores []string `json:"ignores,omitempty"`
	// What a person can do about an object of the kind, by the reason of its verdict: the reason of a condition, or the word of a field.
	// NAME stands for the name of the object. The remedy that a condition declares comes first.
	Remedies map[string]string `json:"remedies,omitempty"`
}

// Manage puts a kind under the management of one controller.
type Manage struct {
	// The field manager that writes the derived conditions. tristate run writes the kinds whose manager has its own name, which is
	// tristate unless it is started with another one; a kind of any other manager it only reads.
	Manager string `json:"manager" required:"true" minLength:"1"`
	// Take the derived types over from managers that write them now. Without it, a kind whose derived types another manager
	// holds is not written.
	Adopt bool `json:"adopt,omitempty"`
}

// Verdict is a rule that judges an object.
type Verdict struct {
	// CEL over self, bool. A missing field means that it does not hold. Empty: always.
	When string `json:"when,omitempty" cel:"bool"`
	// The answer.
	Verdict string `json:"verdict" required:"true" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// A CamelCase word. Default: the reason of the first condition that when reads, or else the verdict.
	Reason string `json:"reason,omitempty"`
	// CEL over self that gives the message, a string. Default: the message of the first condition that when reads.
	Message string `json:"message,omitempty" cel:"string"`
}

// Children makes the objects below an object count in its verdict, where they are known: Current becomes InProgress while one of
// them is in progress, is being deleted or is missing, Degraded while one is Degraded, and Failed while one has failed, which also turns
// InProgress into Failed. Suspended children count as healthy, those of which nothing is known do not count. They are the children in a tree: objects of the
// relations with role owns, objects that name self as their owner, and members of its inventory.
type Children struct {
	// CEL over self, bool: children count. A missing field means that they do not. Empty: they always do.
	When string `json:"when,omitempty" cel:"bool"`
	// The relations whose objects count. Empty: all children count.
	Of []string `json:"of,omitempty" minLength:"1"`
	// CEL over self, item and related, bool: a child counts. A missing field means that it does. Empty: each does.
	Where string `json:"where,omitempty" cel:"bool"`
}

// State is a scalar field, or a condition, whose words are states. Exactly one of path and condition is given.
type State struct {
	// Where the field stands, for example status.phase.
	Path string `json:"path,omitempty" minLength:"1"`
	// The type of the condition. Its words are STATUS/REASON and STATUS, for example False/NoMatchingNode and False; the
	// longer one counts first.
	Condition string `json:"condition,omitempty" minLength:"1"`
	// The verdict of each word.
	Words map[string]string `json:"words" required:"true" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// The verdict of other words; empty: they decide nothing.
	Otherwise string `json:"otherwise,omitempty" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// The verdict of an absent or empty field; empty: it decides nothing.
	Absent string `json:"absent,omitempty" enum:"Current,InProgress,Degraded,Failed,Suspended,Unknown,NotFound"`
	// Where the message stands, for example status.message. Default: what the condition says, or that the field has the word.
	Message string `json:"message,omitempty"`
}

// For names a kind.
type For struct {
	// API group; empty for the core group. An asterisk, with the kind *, stands for every group but those of Kubernetes itself; such a catalog only
	// says when children count.
	Group string `json:"group,omitempty"`
	// Kind, for example Cluster. An asterisk stands for every kind of the group that has no catalog of its own; such a catalog
	// only judges. Either kind or kinds is needed.
	Kind string `json:"kind,omitempty" minLength:"1"`
	// Several kinds of the group of which all that the document says holds alike. Such a document derives no conditions.
	Kinds []string `json:"kinds,omitempty" minLength:"1"`
	// Versions for which the catalog holds, the preferred one first. Empty: every version.
	Versions []string `json:"versions,omitempty"`
}

// Relation is a declared edge from self to other objects. Exactly one of ref, refBy, owner, owned, selector and selectedBy
// links them, or none, then where alone does; where narrows what the link finds. An expression that reads a missing
// field means "not related".
type Relation struct {
	// The kind of the related objects, as Kind.group (Kind alone in the core group). May be left out with ref and owner: then
	// the reference says it.
	Kind string `json:"kind,omitempty"`
	// CEL over self that gives an object reference ({apiVersion, kind, name, namespace}), the name of an object, or a list of either.
	Ref string `json:"ref,omitempty" cel:"dyn"`
	// CEL over item that gives its reference to self; the same forms as ref.
	RefBy string `json:"refBy,omitempty" cel:"dyn"`
	// The related objects are the owners of self.
	Owner bool `json:"owner,omitempty"`
	// The related objects are those that self owns.
	Owned bool `json:"owned,omitempty"`
	// CEL over self that gives a label selector ({matchLabels, matchExpressions}) for the related objects.
	Selector string `json:"selector,omitempty" cel:"dyn"`
	// CEL over item that gives a label selector which self matches.
	SelectedBy string `json:"selectedBy,omitempty" cel:"dyn"`
	// CEL over self and item, bool.
	Where string `json:"where,omitempty" cel:"bool"`
	// Whether the related objects are looked for in the namespace of self (the default; a cluster-scoped self looks
	// everywhere) or in every namespace.
	Namespace string `json:"namespace,omitempty" enum:"same,any"`
	// The relation leads to one object: related.NAME is that object and absent without one. The default with ref. With
	// false, and by default otherwise, related.NAME is a list ordered by namespace and name.
	Single *bool `json:"single,omitempty"`
	// Where the related objects stand in a tree: below self (the default; with owner, refBy and selectedBy the default is
	// hidden) or not shown.
	Tree string `json:"tree,omitempty" enum:"below,hidden"`
	// What self does with the related objects. It owns them (the default): they are parts of it, and what is wrong with them explains
	// what is wrong with self. It reads them, as a configuration or a template: they explain only where they are missing or broken. It
	// writes them, as an output: they explain nothing.
	Role string `json:"role,omitempty" enum:"owns,reads,writes"`
	// One sentence for people.
	Meaning string `json:"meaning,omitempty"`
}

// Condition declares one condition type.
type Condition struct {
	// The condition type.
	Type string `json:"type" required:"true" minLength:"1"`
	// Former or misspelt names: read as this type, never written.
	Aliases []string `json:"aliases,omitempty"`
	// What True means, in one sentence.
	Meaning string `json:"meaning" required:"true" minLength:"1"`
	// Which status is good: positive (True), negative (False) or neutral (neither).
	Polarity string `json:"polarity,omitempty" enum:"positive,negative,neutral"`
	// How it takes part in the top-level condition.
	Role string `json:"role,omitempty" enum:"summary,dependent,informational"`
	// When it stands in the list.
	Presence string `json:"presence,omitempty" enum:"always,when-true,when-known,once-true"`
	// How the condition moves: level (follows the state), monotonic (never back from True), terminal (never changes once
	// True), completion (never changes once True or False, as Succeeded of what runs to its end), per-run (starts anew with each run).
	Lifecycle string `json:"lifecycle,omitempty" enum:"level,monotonic,terminal,completion,per-run"`
	// With lifecycle per-run: CEL over self and related, bool; a run starts when it becomes true and ends when it becomes false.
	// Between runs the outcome of the last one stands, before the first one there is none.
	Run string `json:"run,omitempty" cel:"bool"`
	// What a pass does with the type when nothing was reported to it.
	NotReached string `json:"notReached,omitempty" enum:"keep,unknown,fail"`
	// How the type begins when it is neither stored nor reported: unknown (the default), or healthy on an object whose stored
	// summary is healthy, so that a type which a new version adds does not make every object Unknown.
	Initial string `json:"initial,omitempty" enum:"unknown,healthy"`
	// A missing one does not count as Unknown in the summary.
	Optional bool `json:"optional,omitempty"`
	// Parts of messages that differ from pass to pass though nothing happened: a message in which only they changed is not written.
	Volatile []string `json:"volatile,omitempty" enum:"ids,times,durations,numbers,addresses,order"`
	// How long a change for the worse, and one for the better, must last before it is published.
	Dwell *Dwell `json:"dwell,omitempty"`
	// Statuses the type can have. Default: those of its reasons; for a derived type, those that can come up.
	Statuses []string `json:"statuses,omitempty" enum:"True,False,Unknown"`
	// How the condition is derived; without it somebody reports it.
	Derive *Derive `json:"derive,omitempty"`
	// The reasons, first the one that wins. A mirror, aggregate or summary also carries the reasons of what it is derived from.
	Reasons []Reason `json:"reasons,omitempty"`
	// Reasons that the type had once. They are never used again.
	Retired []string `json:"retired,omitempty"`
	// The set of reasons is open: how a client treats a reason that it does not know, in one sentence. Empty: the set is closed,
	// and a reason is added to it only with a new version of the catalog.
	Open string `json:"open,omitempty"`
	// Reasons that are forwarded from elsewhere.
	Imports []Import `json:"imports,omitempty"`
	// Reasons that are joined from several.
	Composite *Composite `json:"composite,omitempty"`
	// What messages of the type look like, unless a reason says otherwise.
	Message *Message `json:"message,omitempty"`
	// Who else writes the type, besides the controller of the kind.
	Writers []Writer `json:"writers,omitempty"`
	// Another type of the object that this one repeats.
	MirrorOf *MirrorOf `json:"mirrorOf,omitempty"`
	// The type stands in the list only while this other type is True.
	While string `json:"while,omitempty"`
	// Which change moves lastTransitionTime: of the status (the default) or any, as Knative and Flux have it.
	Transition string `json:"transition,omitempty" enum:"status,any"`
	// lastTransitionTime may lie before the moment at which the controller saw the change.
	Backdated bool `json:"backdated,omitempty"`
	// How long the condition may stay Unknown or in class progress before that is a finding. Go duration.
	Deadline string `json:"deadline,omitempty" format:"duration"`
	// How far users may rely on the type; reserved is declared and not written yet. Empty: that of the API version.
	Stability string `json:"stability,omitempty" enum:"alpha,beta,stable,reserved"`
	// The version in which the type came.
	Since string `json:"since,omitempty"`
	// The type is on its way out.
	Deprecated *Deprecation `json:"deprecated,omitempty"`
}

// Deprecation announces the end of a type or reason. Until then it may be written; whoever reads it reads its successor.
type Deprecation struct {
	// The version or date from which on it is deprecated.
	Since string `json:"since,omitempty"`
	// The version or date before which it is not removed.
	EarliestRemoval string `json:"earliestRemoval,omitempty"`
	// Its successor: a declared type, or a reason of the same type, that is not deprecated itself.
	RenamedTo string `json:"renamedTo,omitempty"`
	// Why, and what to use where there is no successor.
	Note string `json:"note,omitempty"`
}

// Import is a source of reasons that are not declared here.
type Import struct {
	// Where they come from: Kind.group/Type, or any other source in words.
	From string `json:"from" required:"true" minLength:"1"`
	// How a text that is no valid reason is made one, in words or as the name of the function.
	Sanitizer string `json:"sanitizer,omitempty"`
}

// Composite is the grammar of reasons that are joined from several.
type Composite struct {
	// Stands between the parts, for example "::" or ",".
	Separator string `json:"separator" required:"true" minLength:"1"`
	// A part is a reason of the type, or TYPE_REASON of another type of the kind.
	Parts string `json:"parts,omitempty" enum:"reason,type_reason"`
	// The most parts that a reason has. Default: as many as fit into 1024 characters.
	Max int `json:"max,omitempty" minimum:"1"`
}

// Message is a contract about messages.
type Message struct {
	// The message begins with this text.
	Prefix string `json:"prefix,omitempty"`
	// The message follows this text, in which {NAME} stands for one or more characters.
	Template string `json:"template,omitempty"`
	// The longest message in bytes, which is how Go validation counts. Default 32768.
	MaxBytes int `json:"maxBytes,omitempty" minimum:"1"`
	// The longest message in characters, which is how the schema of a CRD counts. Default 32768.
	MaxCharacters int `json:"maxCharacters,omitempty" minimum:"1"`
	// The message is the same as long as status and reason are.
	Stable bool `json:"stable,omitempty"`
}

// Writer is a controller that writes a condition of a kind which is not its own.
type Writer struct {
	// Its kind, as Kind.group.
	Kind string `json:"kind,omitempty"`
	// Its field manager.
	Manager string `json:"manager,omitempty"`
	// The reasons that it writes. Empty: any declared one.
	Reasons []string `json:"reasons,omitempty"`
}

// Write is a condition of another kind that a controller writes.
type Write struct {
	// The other kind, as Kind.group.
	Kind string `json:"kind" required:"true" minLength:"1"`
	// The condition type.
	Type string `json:"type" required:"true" minLength:"1"`
	// The reasons that it writes.
	Reasons []string `json:"reasons" required:"true" minLength:"1"`
}

// SharedReason is a reason that several kinds of a system share.
type SharedReason struct {
	// The reason.
	Reason string `json:"reason" required:"true" minLength:"1"`
	// One sentence.
	Meaning string `json:"meaning" required:"true" minLength:"1"`
	// Which kinds use it, in words, for example "most kinds".
	UsedOn string `json:"usedOn,omitempty"`
}

// MirrorOf names a type of the same object that says the same.
type MirrorOf struct {
	// The type.
	Type string `json:"type" required:"true" minLength:"1"`
	// The one is True where the other is False.
	Negated bool `json:"negated,omitempty"`
	// How long the two may differ. Go duration.
	Within string `json:"within,omitempty" format:"duration"`
}

// Churn says when writes of which only the message is new are too many.
type Churn struct {
	// How many within the window are still in order.
	Writes int `json:"writes" required:"true" minimum:"1"`
	// Go duration, for example 1h.
	Window string `json:"window" required:"true" format:"duration"`
	// Hold further ones back until the window has room again, instead of only reporting them.
	Hold bool `json:"hold,omitempty"`
}

// Dwell damps a condition.
type Dwell struct {
	// Go duration, for example 2m.
	GoBadAfter string `json:"goBadAfter,omitempty" format:"duration"`
	// Go duration.
	RecoverAfter string `json:"recoverAfter,omitempty" format:"duration"`
}

// Reason declares one cell.
type Reason struct {
	// The reason; may be empty in the capi-v1beta1 dialect with status True.
	Reason string `json:"reason" required:"true"`
	// The status it goes with.
	Status string `json:"status" required:"true" enum:"True,False,Unknown"`
	// What the cell means for the object.
	Class string `json:"class,omitempty" enum:"ok,progress,transient,terminal,suspended"`
	// Error, Warning or Info; only on unhealthy cells.
	Severity string `json:"severity,omitempty" enum:"Error,Warning,Info"`
	// One sentence.
	Meaning string `json:"meaning" required:"true" minLength:"1"`
	// What a person can do about it.
	Remedy string `json:"remedy,omitempty"`
	// Former or misspelt names: read as this reason, never written.
	Aliases []string `json:"aliases,omitempty"`
	// Where to read more about what to do: a URL.
	Runbook string `json:"runbook,omitempty"`
	// Where the reason comes from in code: names of constants, constructors of errors or variants.
	Origin []string `json:"origin,omitempty"`
	// What messages with the reason look like.
	Message *Message `json:"message,omitempty"`
	// The version in which the reason came.
	Since string `json:"since,omitempty"`
	// The reason is on its way out.
	Deprecated *Deprecation `json:"deprecated,omitempty"`
	// Why the cell is declared although the document that the catalog follows has no row for it: partner (another type of
	// the kind has the reason, and both are written together), complement (the document leaves the status without a
	// reason), shared (the document lists the reason for most kinds, but not for this type), mentioned (only the text of
	// the document, or another kind, has it), emitted (only the program has it), proposed (nobody has it yet). Empty: the
	// document has a row.
	Addition string `json:"addition,omitempty" enum:"partner,complement,shared,mentioned,emitted,proposed"`
}

// Derive says how a condition is computed. Exactly one of summary, mirror, aggregate and rules; otherwise is tried when
// that gives no condition.
type Derive struct {
	// From other types of the same object.
	Summary *Summary `json:"summary,omitempty"`
	// From one condition of one related object.
	Mirror *Mirror `json:"mirror,omitempty"`
	// From one condition of several related objects.
	Aggregate *Aggregate `json:"aggregate,omitempty"`
	// From expressions; the first that applies wins.
	Rules []Rule `json:"rules,omitempty"`
	// Rules for when summary, mirror or aggregate give no condition.
	Otherwise []Rule `json:"otherwise,omitempty"`
}

// Summary rolls up types of the same object.
type Summary struct {
	// Types in order of importance. Empty: every dependent type in declared order.
	Of []string `json:"of,omitempty"`
	// Message "x of y completed" while unhealthy.
	Counter bool `json:"counter,omitempty"`
	// The types that are steps: y is their number, and while another type of the summary is reported there is no counter. It implies counter.
	CounterOnly []string `json:"counterOnly,omitempty"`
	// What a type that is not reported counts as. Default: the dialect's.
	Missing string `json:"missing,omitempty" enum:"skip,unknown"`
	// CEL over self that gives the conditions which its spec adds: a list of types, or of objects with conditionType and, where
	// True is bad, polarity: negative. For example self.spec.readinessGates.
	Gates string `json:"gates,omitempty" cel:"dyn"`
}

// Mirror copies a condition of a related object.
type Mirror struct {
	// The relation.
	Of string `json:"of" required:"true" minLength:"1"`
	// The type on the related object. Default Ready.
	Type string `json:"type,omitempty"`
	// What an object without the condition gives. Default: the dialect's.
	Missing string `json:"missing,omitempty" enum:"skip,unknown"`
	// Reasons of the related object under the names that they have here.
	Reasons map[string]string `json:"reasons,omitempty"`
}

// Aggregate merges the conditions of related objects.
type Aggregate struct {
	// The relation.
	Of string `json:"of" required:"true" minLength:"1"`
	// The type on the related objects. Default Ready.
	Type string `json:"type,omitempty"`
	// Message "x of y completed" while unhealthy.
	Counter bool `json:"counter,omitempty"`
	// What an object without the condition counts as. Default: the dialect's.
	Missing string `json:"missing,omitempty" enum:"skip,unknown"`
	// The quorum: healthy while at least so many objects are. With 0, all of them.
	AtLeast int `json:"atLeast,omitempty" minimum:"0"`
	// The quorum: healthy while at most so many objects are not.
	AtMost int `json:"atMost,omitempty" minimum:"0"`
	// Reasons of the related objects under the names that they have here.
	Reasons map[string]string `json:"reasons,omitempty"`
	// Objects that may be unhealthy for now without counting.
	Tolerate []Tolerance `json:"tolerate,omitempty"`
}

// Tolerance leaves unhealthy objects out of an aggregate.
type Tolerance struct {
	// CEL over self and related, bool: when the tolerance holds. Empty: always.
	While string `json:"while,omitempty" cel:"bool"`
	// CEL over self and item, bool: which objects are tolerated.
	Items string `json:"items" required:"true" minLength:"1" cel:"bool"`
	// How many at the same time, in the order of namespace and name; when more are unhealthy the others count.
	Max int `json:"max" required:"true" minimum:"1"`
}

// Rule gives a cell when its expression holds.
type Rule struct {
	// CEL over self, related and variables, bool. Empty: always.
	When string `json:"when,omitempty" cel:"bool"`
	// A declared reason of the type.
	Reason string `json:"reason" required:"true"`
	// Needed where the reason goes with more than one status.
	Status string `json:"status,omitempty" enum:"True,False,Unknown"`
	// CEL that gives the message, a string.
	Message string `json:"message,omitempty" cel:"string"`
}

// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Names of the objects that the agent keeps in the operator's namespace.
const (
	JournalName     = "vworkspace-agent-journal"     // ConfigMap
	CredentialsName = "vworkspace-agent-credentials" // Secret

	journalKey = "journal.json"
	maxDone    = 1000 // jobs that are kept
)

// Journal is the state that survives a restart, and statuses that are removed or replaced: the events that were not delivered, a mark of
// each object, and the outcomes of the last jobs by idempotency key.
type Journal struct {
	Buffer State           `json:"buffer"`
	Taken  map[string]Mark `json:"taken,omitempty"` // by uid
	Done   []DoneJob       `json:"done,omitempty"`  // oldest first
}

// Mark is the memory of an object, which outlives its status.
type Mark struct {
	Sequence int64 // of the last transition that the agent has
	State    uint8 // of an operation, see [ResourceRef]; 0: not started, or no operation
}

// MarshalJSON writes the number, or both numbers where there is a state.
func (m Mark) MarshalJSON() ([]byte, error) {
	if m.State == 0 {
		return json.Marshal(m.Sequence)
	}
	return json.Marshal([2]int64{m.Sequence, int64(m.State)})
}

// UnmarshalJSON reads either form.
func (m *Mark) UnmarshalJSON(data []byte) error {
	var both [2]int64
	err := json.Unmarshal(data, &both)
	if err != nil {
		err = json.Unmarshal(data, &both[0])
	}
	*m = Mark{both[0], uint8(both[1])}
	return err
}

// DoneJob is a job that ran.
type DoneJob struct {
	Key     string `json:"key"`
	Outcome string `json:"outcome"`
}

func (j Journal) clone() Journal {
	j.Taken = maps.Clone(j.Taken)
	j.Done = append([]DoneJob(nil), j.Done...)
	return j
}

// Store keeps a journal.
type Store interface {
	Load(context.Context) (Journal, error)
	Save(context.Context, Journal) error
}

// Keeper stores the journal in a ConfigMap.
type Keeper struct {
	Reader    client.Reader // not cached
	Writer    client.Writer
	Namespace string
	Manager   string // field manager
}

// Load reads the journal; there is none before the first save.
func (k *Keeper) Load(ctx context.Context) (Journal, error) {
	var object corev1.ConfigMap
	err := k.Reader.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: JournalName}, &object)
	if apierrors.IsNotFound(err) {
		return Journal{}, nil
	}
	if err != nil {
		return Journal{}, fmt.Errorf("read the journal: %w", err)
	}
	var j Journal
	if text := object.Data[journalKey]; text != "" {
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			return Journal{}, fmt.Errorf("decode the journal: %w", err)
		}
	}
	return j, nil
}

// Save replaces the journal.
func (k *Keeper) Save(ctx context.Context, j Journal) error {
	data, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("encode the journal: %w", err)
	}
	object := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: k.Namespace, Name: JournalName}, Data: map[string]string{journalKey: string(data)}}
	if err := k.Writer.Patch(ctx, object, client.Merge); apierrors.IsNotFound(err) {
		err = k.Writer.Create(ctx, object, client.FieldOwner(k.Manager))
		if err != nil {
			return fmt.Errorf("create the journal: %w", err)
		}
	} else if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

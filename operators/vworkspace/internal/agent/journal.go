// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

	journalKey = "journal.json.gz"
	maxJournal = 32 << 20 // bytes, uncompressed
	maxDone    = 1000     // jobs that are kept
)

// Journal is the state that survives a restart: the events that were not delivered, the number of the last transition of each object that
// the agent took over, and the outcomes of the last jobs by idempotency key.
type Journal struct {
	Buffer State            `json:"buffer"`
	Taken  map[string]int64 `json:"taken,omitempty"` // by uid
	Done   []DoneJob        `json:"done,omitempty"`  // oldest first
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
	return decodeJournal(object.BinaryData[journalKey])
}

func decodeJournal(data []byte) (Journal, error) {
	var j Journal
	if len(data) == 0 {
		return j, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return Journal{}, fmt.Errorf("decode the journal: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxJournal+1))
	if err != nil {
		return Journal{}, fmt.Errorf("decode the journal: %w", err)
	}
	if len(plain) > maxJournal {
		return Journal{}, errors.New("decode the journal: it is too large")
	}
	if err := json.Unmarshal(plain, &j); err != nil {
		return Journal{}, fmt.Errorf("decode the journal: %w", err)
	}
	return j, nil
}

// Save replaces the journal.
func (k *Keeper) Save(ctx context.Context, j Journal) error {
	data, err := encodeJournal(j)
	if err != nil {
		return err
	}
	object := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: k.Namespace, Name: JournalName}, BinaryData: map[string][]byte{journalKey: data}}
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

func encodeJournal(j Journal) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(j); err != nil {
		return nil, fmt.Errorf("encode the journal: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode the journal: %w", err)
	}
	return b.Bytes(), nil
}

// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const credentialKey = "credential.json"

// Secrets reads and stores the credentials of the connection in the operator's namespace. Nothing is cached.
type Secrets struct {
	Reader    client.Reader
	Writer    client.Writer
	Namespace string
}

// Read implements [agent.Secrets].
func (s *Secrets) Read(ctx context.Context, key agent.SecretKey) ([]byte, error) {
	var secret corev1.Secret
	if err := s.Reader.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: key.Name}, &secret); err != nil {
		return nil, fmt.Errorf("secret %s: %s", key.Name, child.Reason(err))
	}
	value, ok := secret.Data[key.Key]
	if !ok || len(value) == 0 {
		return nil, fmt.Errorf("secret %s has no key %s", key.Name, key.Key)
	}
	return value, nil
}

// Credential implements [agent.Secrets].
func (s *Secrets) Credential(ctx context.Context, clusterID string) (*agent.Stored, error) {
	var secret corev1.Secret
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: agent.CredentialsName}, &secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("secret %s: %s", agent.CredentialsName, child.Reason(err))
	}
	var stored agent.Stored
	if json.Unmarshal(secret.Data[credentialKey], &stored) != nil || stored.Token == "" || stored.ClusterID != clusterID {
		return nil, nil // it is registered again
	}
	return &stored, nil
}

// Keep implements [agent.Secrets].
func (s *Secrets) Keep(ctx context.Context, c agent.Stored) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode the credential: %w", err)
	}
	secret := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace,
		Name:   agent.CredentialsName,
		Labels: map[string]string{child.LabelManaged: kit.Manager}}, Data: map[string][]byte{credentialKey: data}}
	err = s.Writer.Patch(ctx, secret, client.Merge)
	if apierrors.IsNotFound(err) {
		err = s.Writer.Create(ctx, secret)
	}
	if err != nil {
		return fmt.Errorf("secret %s: %s", agent.CredentialsName, child.Reason(err))
	}
	return nil
}

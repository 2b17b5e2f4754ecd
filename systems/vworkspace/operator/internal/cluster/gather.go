// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"time"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func gather(e *kit.Env) func(context.Context, *api.Cluster, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.Cluster, now time.Time) (Facts, error) {
		c := o.Spec.Connectivity
		f := Facts{Taken: e.Agent.Mark(ctx, string(o.UID)).Sequence, Window: duration(c.DisconnectWindow, DisconnectWindow),
			Recovery:  duration(c.RecoveryThreshold, RecoveryThreshold),
			Tolerance: duration(c.HeartbeatInterval, agent.HeartbeatInterval), Now: now}
		for _, controller := range e.Controllers {
			if controller.Optional {
				continue
			}
			missing, why, err := health(ctx, e, controller)
			if err != nil {
				return f, err
			}
			if missing {
				f.Missing = append(f.Missing, controller)
			} else if why != "" {
				f.Degraded = append(f.Degraded, controller.Name+": "+why)
			}
		}
		f.View = e.Agent.View()
		return f, nil
	}
}

func duration(d *metav1.Duration, otherwise time.Duration) time.Duration {
	if d == nil || d.Duration <= 0 {
		return otherwise
	}
	return d.Duration
}

// health reports whether a controller is installed, and returns its problem.
func health(ctx context.Context, e *kit.Env, c kit.Controller) (missing bool, why string, err error) {
	var d appsv1.Deployment
	if err := e.Manager.GetClient().Get(ctx, client.ObjectKey{Namespace: c.Namespace, Name: c.Deployment}, &d); err != nil {
		return apierrors.IsNotFound(err), "", client.IgnoreNotFound(err)
	}
	want := int32(1)
	if d.Spec.Replicas != nil {
		want = *d.Spec.Replicas
	}
	switch {
	case c.Kind != "" && !e.Served.Serves(kit.GVK(c.Group, c.Kind)):
		return true, "", nil
	case want == 0:
		return false, "scaled to zero", nil
	case d.Status.ObservedGeneration < d.Generation:
		return false, "its Deployment has not been observed", nil
	case d.Status.ReadyReplicas < want:
		return false, fmt.Sprintf("%d of %d replicas are ready", d.Status.ReadyReplicas, want), nil
	}
	for _, condition := range d.Status.Conditions {
		if condition.Type == appsv1.DeploymentAvailable && condition.Status != corev1.ConditionTrue {
			return false, cmp.Or(condition.Reason, "not available"), nil
		}
	}
	return false, "", nil
}

// configure passes the connectivity of the spec to the agent.
func configure(e *kit.Env, o *api.Cluster, paused bool) {
	c := o.Spec.Connectivity
	config := agent.Config{ClusterID: o.Spec.ClusterID, Endpoint: o.Spec.ControlPlaneEndpoint, Rotate: o.Annotations[api.AnnotationRotate],
		Token:     agent.SecretKey{Name: o.Spec.RegistrationTokenSecretRef.Name, Key: o.Spec.RegistrationTokenSecretRef.Key},
		Heartbeat: duration(c.HeartbeatInterval, 0), LongPoll: duration(c.LongPoll, 0), Rotation: duration(c.RotationInterval, 0)}
	if ca := o.Spec.CASecretRef; ca != nil {
		config.CA = agent.SecretKey{Name: ca.Name, Key: ca.Key}
	}
	if c := o.Spec.ClientCertificateSecretRef; c != nil {
		config.Certificate = c.Name
	}
	e.Agent.Configure(config, paused)
}

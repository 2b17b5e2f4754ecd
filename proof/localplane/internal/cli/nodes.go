// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	pods "sigs.k8s.io/kwok/kustomize/stage/pod/fast"

	"github.com/tristate/tristate/proof/localplane/internal/folder"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// maxNodes bounds --nodes: each node costs a lease that is renewed.
const maxNodes = 1000

// podStages are the stages of pods that annotations ask for.
//
//go:embed stages.yaml
var podStages string

// startNodes creates the nodes, starts kube-scheduler and KWOK, and returns when all nodes are ready.
func (p *plane) startNodes(ctx context.Context, client *http.Client) error {
	stages := []string{fast.DefaultNodeInit, heartbeat.DefaultNodeHeartbeatWithLease, podStages, pods.DefaultPodDelete}
	if err := folder.WriteFile(p.data.Join(folder.KwokConfig), []byte(strings.Join(stages, "\n---\n"))); err != nil {
		return err
	}
	for i := range p.nodes {
		if err := p.createNode(ctx, client, fmt.Sprintf("node-%d", i)); err != nil {
			return err
		}
	}
	if err := p.run(supervisor.Scheduler, schedulerFlags(), managerGrace, nil); err != nil {
		return err
	}
	if err := p.run(supervisor.Kwok, kwokFlags(), managerGrace, nil); err != nil {
		return err
	}
	return p.poll(ctx, "nodes", func() error { return p.nodesReady(ctx, client) })
}

// createNode creates a node; one that exists, of an earlier run with the same data folder, stays.
func (p *plane) createNode(ctx context.Context, client *http.Client, name string) error {
	node := corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
	}
	err := p.request(ctx, client, http.MethodPost, "/api/v1/nodes", node, nil)
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusConflict {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create node %s: %w", name, err)
	}
	return nil
}

// nodesReady returns an error unless every node is ready and accepts pods.
func (p *plane) nodesReady(ctx context.Context, client *http.Client) error {
	var list corev1.NodeList
	if err := p.request(ctx, client, http.MethodGet, "/api/v1/nodes", nil, &list); err != nil {
		return err
	}
	ready := 0
	for _, node := range list.Items {
		if len(node.Spec.Taints) == 0 && isReady(node) {
			ready++
		}
	}
	if ready < p.nodes {
		return fmt.Errorf("%d of %d nodes are ready", ready, p.nodes)
	}
	return nil
}

func isReady(node corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

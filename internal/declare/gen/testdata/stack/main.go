// SPDX-License-Identifier: Apache-2.0

// Command stack prints the conditions of a stack of three deployments.
package main

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Facts are the facts about a stack.
type Facts struct {
	Deployments []appsv1.Deployment // that the stack owns
}

// Judge turns facts into conditions.
func Judge(p *Pass, f Facts) {
	var inputs []rollup.Input
	for _, d := range f.Deployments {
		var list []metav1.Condition
		for _, c := range d.Status.Conditions {
			list = append(list, metav1.Condition{Type: string(c.Type), Status: metav1.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message})
		}
		inputs = append(inputs, rollup.InputOf(conditions.ObjectRef{Group: "apps", Kind: "Deployment", Name: d.Name}, d.Generation, list, "Available"))
	}
	p.DeploymentsAvailable.From(inputs)
}

func main() {
	deployment := func(name string, reason string) appsv1.Deployment {
		d := appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if reason != "" {
			d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "False", Reason: reason, Message: "1 of 3 replicas"}}
			return d
		}
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "True", Reason: "MinimumReplicasAvailable"}}
		return d
	}
	show := func(deployments ...appsv1.Deployment) {
		p := BeginList(1, nil, time.Unix(0, 0))
		Judge(p, Facts{deployments})
		for _, c := range p.Commit().Conditions() {
			fmt.Printf("%s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
		}
	}
	show(deployment("web", ""), deployment("queue", ""), deployment("mail", "MinimumReplicasUnavailable"))
	show(deployment("web", ""), deployment("queue", ""), deployment("mail", ""))
}

// SPDX-License-Identifier: Apache-2.0

// Package deny has an API server refuse writes of one account. Tests use it to see what an operator reports about a
// refused write, and what it does once the write is possible again.
//
//	allow, err := deny.Writes(ctx, c, deny.Rule{User: "system:serviceaccount:gadgets:gadget-operator", Group: "apps",
//		Resource: "deployments", Namespace: "team-a"})
//	...
//	err = allow()
//
// An admission policy refuses them, as in a cluster; the writes of everybody else are as before.
package deny

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Message is in the answer to a write that is refused.
const Message = "not now"

// Rule refuses that User creates, changes or deletes objects of a resource in a namespace. A namespace itself is an
// object of its own namespace.
type Rule struct {
	User, Group, Resource, Namespace string
	Prefix                           string // of the names of the objects; empty: all
}

// Writes puts a rule in force, and returns when it is. allow ends it, and returns when that has happened.
func Writes(ctx context.Context, c client.Client, rule Rule) (allow func() error, err error) {
	resources := func(group, resource string, operations ...admissionv1.OperationType) admissionv1.NamedRuleWithOperations {
		return admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{Operations: operations,
			Rule: admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{resource}}}}
	}
	// While it is in force no user may create a ConfigMap of its name. That is asked for in a namespace that stays: a test may delete its own.
	name := "deny-" + rand.String(10)
	expression := fmt.Sprintf("(request.resource.resource != 'configmaps' || request.name != %q) && (request.namespace != %q || "+
		"request.userInfo.username != %q || request.resource.resource != %q || !request.name.startsWith(%q))",
		name, rule.Namespace, rule.User, rule.Resource, rule.Prefix)
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{
				resources("", "configmaps", admissionv1.Create),
				resources(rule.Group, rule.Resource, admissionv1.Create, admissionv1.Update, admissionv1.Delete)}},
			Validations: []admissionv1.Validation{{Expression: expression, Message: Message}}}}
	if err := c.Create(ctx, policy); err != nil {
		return nil, err
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}}
	allow = func() error {
		err := errors.Join(client.IgnoreNotFound(c.Delete(ctx, binding)), client.IgnoreNotFound(c.Delete(ctx, policy)))
		return errors.Join(err, until(ctx, c, name, false))
	}
	if err := c.Create(ctx, binding); err != nil {
		return nil, errors.Join(err, allow())
	}
	if err := until(ctx, c, name, true); err != nil {
		return nil, errors.Join(err, allow())
	}
	return allow, nil
}

// until waits until the API server refuses the ConfigMap of a name, or does not any more.
func until(ctx context.Context, c client.Client, name string, refused bool) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}, client.DryRunAll)
		if is := err != nil && strings.Contains(err.Error(), Message); is == refused && (is || err == nil) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("a rule of admission is in force: want %v", refused), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

// This file is compiled into github.com/fluxcd/cli-utils/pkg/kstatus/status in place of the function of the same name, see TestUpstream.

package status

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tristate/tristate/verdict"
)

func Compute(u *unstructured.Unstructured) (*Result, error) {
	r, err := verdict.Kstatus(u.Object, time.Now())
	if err != nil {
		return nil, err
	}
	out := &Result{Status: Status(r.Status), Message: r.Message, Conditions: []Condition{}}
	if r.Condition != "" {
		out.Conditions = append(out.Conditions, Condition{ConditionType(r.Condition), corev1.ConditionTrue, r.Reason, r.ConditionMessage})
	}
	return out, nil
}

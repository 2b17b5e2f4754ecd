// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"fmt"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Rule is the rule of every answer.
const Rule = "kstatus"

// Engine asks kstatus itself, the library of cli-utils with which Helm and Flux wait: for --engine=kstatus, and for comparison. The zero
// value is ready to use.
type Engine struct{}

// Judge returns the status, the message and the reason of kstatus. An object that it cannot read is Unknown, with its error; where it
// panics (a container status that is no object), that is the error. The time of kstatus is the real one.
func (Engine) Judge(object map[string]any, _ time.Time) (v verdict.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = unreadable(fmt.Errorf("kstatus: %v", p))
		}
	}()
	r, err := status.Compute(&unstructured.Unstructured{Object: object})
	if err != nil {
		return unreadable(err)
	}
	v = verdict.Verdict{Status: verdict.Status(r.Status), Rule: Rule, Confidence: verdict.FromCondition}
	v.Say(r.Message)
	v.Ready = v.Status == verdict.Current
	if len(r.Conditions) > 0 {
		v.Reason = r.Conditions[0].Reason
	}
	return v
}

func unreadable(err error) verdict.Verdict {
	v := verdict.Verdict{Status: verdict.Unknown, Rule: Rule, Confidence: verdict.FromNothing, Reason: "Unreadable"}
	v.Say(err.Error())
	return v
}

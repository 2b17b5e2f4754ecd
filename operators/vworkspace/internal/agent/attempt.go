// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// attempt is the state of the connection that a request begins with. The epoch is another one after every change of the configuration, of
// the credential, of its acceptance, and of whether the control plane can be reached: the answer to a request that began before is late.
//
//	poll ──────────────────────────────▶ 200   late: the credential stays rejected, and the jobs are not carried out
//	heartbeat ──▶ 401  epoch + 1
type attempt struct {
	epoch  uint64
	config Config
	client *Client
	stored *Stored
	print  string
}

// errLate is an answer that changes nothing.
var errLate = errors.New("the state of the connection has changed since the request began")

// begin returns the state of now.
func (a *Agent) begin() attempt {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.attempt()
}

// attempt is begin for a caller that holds the lock.
func (a *Agent) attempt() attempt { return attempt{a.epoch, a.config, a.client, a.stored, a.print} }

// late reports whether the state has changed since.
func (a *Agent) late(at attempt) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch != at.epoch
}

// self is what heartbeats report.
type self struct {
	ref        ResourceRef
	conditions []Condition
}

// Report sets the object that heartbeats report against, and its conditions.
func (a *Agent) Report(ref ResourceRef, conditions []Condition) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.self = self{ref, conditions}
}

// ConditionsOf returns conditions as an event has them.
func ConditionsOf(list []metav1.Condition) (out []Condition) {
	for _, c := range list {
		out = append(out, Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message})
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"os"
	"strconv"
	"testing"
)

// lease is the one of the election.
const lease = "tristate.kro.run"

// twoReplicas: of two operators, each a process, one works. It is killed without warning: the other one goes on once the lease has
// expired, and what was settled is not written again.
func twoReplicas(t *testing.T, s *side) {
	s.Expire(t, lease) // of the program before
	var replicas [2]struct {
		counts  counts
		process *process
	}
	for i := range replicas {
		r := &replicas[i]
		config := s.Account()
		config.Wrap(r.counts.wrap)
		r.process = s.spawn(t, config, "--leader-elect", "--leader-election-namespace="+system)
	}
	chain := rgd(t, "chain", "Chain", fields, `- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-1"}, data: {a: b}}`)
	first, second := instance(t, "Chain", "first", ""), instance(t, "Chain", "second", "")
	s.create(t, chain)
	s.create(t, first)
	before := s.expect(t, first, map[string]string{"Ready": "True AllReady"})
	leader := 0
	if replicas[1].counts.writes.Load() > 0 {
		leader = 1
	}
	if n := replicas[1-leader].counts.writes.Load(); n > 0 {
		t.Errorf("the replica that waits made %d writes", n)
	}
	replicas[leader].process.end()
	s.Expire(t, lease)
	s.create(t, second)
	s.expect(t, second, map[string]string{"Ready": "True AllReady"})
	if !replicas[1-leader].process.alive() {
		t.Error("the other replica has ended")
	}
	s.remove(t, second) // what was settled before is looked at as well by the time that this is done
	s.gone(t, second)
	if after := s.read(t, first); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("the other replica wrote a settled instance again")
	}
}

// number is a whole number of the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

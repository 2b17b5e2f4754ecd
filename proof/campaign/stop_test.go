// SPDX-License-Identifier: Apache-2.0

package campaign_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stop stops a part of the control plane until [shop.resume]: the process does not run, and keeps its connections. localplane elects no
// leaders, so the lease that a part renews on other clusters is written, as it was three minutes ago; those of nodes are the real ones.
func (s *shop) stop(part string) {
	s.Helper()
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.process)) // of each thread
	var children []byte
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		children = append(children, data...)
	}
	for _, pid := range strings.Fields(string(children)) {
		if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && bytes.Contains(line, []byte("\x00"+part+"\x00")) {
			s.signal("-STOP", pid)
			s.stopped = append(s.stopped, pid)
		}
	}
	if len(s.stopped) == 0 {
		s.Fatalf("no process %s among %q", part, children)
	}
	if part == "kwok" {
		return
	}
	lease := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": map[string]any{"name": part},
		"spec": map[string]any{"holderIdentity": part, "renewTime": time.Now().Add(-3 * time.Minute).UTC().Format(
			"2006-01-02T15:04:05.000000Z07:00")}}}
	if _, err := s.resourceIn("Lease", "kube-system").Create(s.Context(), lease, metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
	s.leases = append(s.leases, part)
}

// resume lets the parts of the control plane run that were stopped.
func (s *shop) resume() {
	s.Helper()
	s.proceed()
	for _, name := range s.leases {
		if err := s.resourceIn("Lease", "kube-system").Delete(s.Context(), name, metav1.DeleteOptions{}); err != nil {
			s.Fatal(err)
		}
	}
	s.leases = nil
}

// proceed lets the processes run that were stopped. It needs no context, as a stopped process does not end when it is asked to.
func (s *shop) proceed() {
	s.Helper()
	for _, pid := range s.stopped {
		s.signal("-CONT", pid)
	}
	s.stopped = nil
}

func (s *shop) signal(name, pid string) {
	s.Helper()
	if out, err := exec.Command("kill", name, pid).CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
}

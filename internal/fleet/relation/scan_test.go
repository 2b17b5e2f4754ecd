// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
)

// crashLooping is a pod as a kubelet writes it while a container waits between its restarts.
func crashLooping(t *testing.T, namespace, name string) *Object {
	t.Helper()
	content, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(&corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "app", Image: "app:1"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "app", RestartCount: 7,
			State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return FromContent(content)
}

// To judge a pod that crashed does not open the other pods of the cluster, which are packed.
func TestJudge_opensNoOtherPod(t *testing.T) {
	set, err := catalog.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	g := NewPacked(set)
	for i := range 20 {
		g.Put(crashLooping(t, fmt.Sprint("tenant-", i), "other"))
	}
	runtime.GC() // until then the objects that were put are in use
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	own := crashLooping(t, "tenant-0", "own")
	g.Put(own)
	v := &View{Graph: g, Judge: func(*Object) Judgement { return Judgement{Verdict: verdict.Failed} }}
	v.Judgement(own)
	for e := range g.entries.of(podKind) {
		if e.Name == "other" && e.live.Value() != nil {
			t.Errorf("%s was opened", e.ID)
		}
	}
}

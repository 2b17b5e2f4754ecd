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

// An index of the pods of the cluster is brought up to date by the pods that change: to judge a pod again opens no other one.
func TestJudge_keepsIndexes(t *testing.T) {
	set, err := catalog.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	g := NewPacked(set)
	for i := range 20 {
		o := crashLooping(t, fmt.Sprint("tenant-", i), "other")
		o.Content["spec"].(map[string]any)["nodeName"] = "another"
		g.Put(o)
	}
	service, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(&corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-0", Name: "db"},
		Spec:       corev1.ServiceSpec{ClusterIP: "10.0.0.1", Ports: []corev1.ServicePort{{Port: 5432}}}})
	if err != nil {
		t.Fatal(err)
	}
	g.Put(FromContent(service))
	calls := func() *Object { // asks for kube-proxy on its node, which is an index of all pods
		o := crashLooping(t, "tenant-0", "own")
		container := o.Content["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
		container["env"] = []any{map[string]any{"name": "DB", "value": "tcp://db.tenant-0.svc:5432"}}
		return FromContent(o.Content)
	}
	v := &View{Graph: g, Judge: func(*Object) Judgement { return Judgement{Verdict: verdict.Failed} }}
	own := calls()
	g.Put(own)
	v.Judgement(own)
	if len(g.lookups) == 0 {
		t.Fatal("no index was made")
	}
	v.Release()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	again := calls()
	g.Put(again)
	v.Judgement(again)
	for e := range g.entries.of(podKind) {
		if e.Name == "other" && e.live.Value() != nil {
			t.Errorf("%s was opened again", e.ID)
		}
	}
}

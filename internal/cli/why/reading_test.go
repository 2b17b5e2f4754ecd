// SPDX-License-Identifier: Apache-2.0

package why

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli/view"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/proof/plane"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// reading is a namespace of a real API server with its controllers. There is neither a scheduler nor a kubelet: the test writes the status
// of pods itself.
type reading struct {
	*testing.T
	cfg       *rest.Config
	client    kubernetes.Interface
	namespace string
}

func newReading(t *testing.T) *reading {
	t.Parallel()
	cfg := plane.ForTest(t)
	plane.NeedControllers(t)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &reading{t, cfg, client, plane.Namespace(t, cfg)}
}

// look reads an object as the commands do and returns its verdict and its causes, in a line each: Kind Verdict Reason.
func (r *reading) look(what string) (string, *relation.Node, *view.View) {
	kind, name, _ := strings.Cut(what, "/")
	c, err := cluster.Connect(r.Context(), r.cfg, cluster.Options{Namespace: r.namespace, Warn: func(w string) { r.Errorf("warning: %s", w) }})
	if err != nil {
		r.Fatal(err)
	}
	g := relation.New(nil)
	v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, time.Now())}
	ids, failed := c.Roots(r.Context(), g, []cluster.Query{{Type: kind, Name: name}})
	if len(failed) == 1 && failed[0].Reason() == cluster.NotFound {
		return "NotFound", nil, nil
	} else if len(failed) > 0 {
		r.Fatal(failed)
	}
	if failed := c.Related(r.Context(), v, ids); len(failed) > 0 {
		r.Fatal(failed)
	}
	root := v.Build(ids[0])
	lines := []string{fmt.Sprintf("%s %s", root.Judgement.Verdict, root.Judgement.Reason)}
	for _, cause := range relation.Causes(root) {
		var chain []string
		for _, n := range cause.Chain[1:] {
			chain = append(chain, n.Kind)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s x%d", strings.Join(chain, ">"), cause.Node.Judgement.Verdict,
			cause.Node.Judgement.Reason, len(cause.Nodes))))
	}
	return strings.Join(lines, "\n"), root, &view.View{Walk: v, Cluster: c}
}

// expect waits until look returns the wanted text, and returns the text of why.
func (r *reading) expect(target, want string) string {
	r.Helper()
	got := ""
	var root *relation.Node
	var v *view.View
	err := wait.PollUntilContextTimeout(r.Context(), 200*time.Millisecond, 5*time.Minute, true, func(context.Context) (bool, error) {
		got, root, v = r.look(target)
		return got == want, nil
	})
	if err != nil {
		r.Fatalf("%s: -want +got\n%s", target, cmp.Diff(want, got))
	}
	if root == nil {
		return ""
	}
	var b bytes.Buffer
	explanation := render.Explanation{Root: root, Causes: relation.Causes(root), Doubts: relation.Contradictions(root),
		Event: eventsOf(r.Context(), v)}
	if err := render.Why(&b, explanation, render.Options{}); err != nil {
		r.Fatal(err)
	}
	return b.String()
}

// done ends the test if a request has failed.
func (r *reading) done(_ any, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *reading) deployment(name string, replicas int32) {
	labels := map[string]string{"app": name}
	r.done(r.client.AppsV1().Deployments(r.namespace).Create(r.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec()}},
	}, metav1.CreateOptions{}))
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "registry.invalid/app:1"}}}
}

// pods writes the status of every pod with a label, as soon as there are as many as wanted.
func (r *reading) pods(selector string, count int, write func(*corev1.PodStatus)) {
	r.Helper()
	pods := r.client.CoreV1().Pods(r.namespace)
	err := wait.PollUntilContextTimeout(r.Context(), 100*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil || len(list.Items) < count {
			return false, err
		}
		for i := range list.Items {
			write(&list.Items[i].Status)
			if _, err := pods.UpdateStatus(ctx, &list.Items[i], metav1.UpdateOptions{}); apierrors.IsConflict(err) {
				return false, nil
			} else if err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		r.Fatalf("pods %s: %v", selector, err)
	}
}

func TestReading_unschedulable(t *testing.T) {
	r := newReading(t)
	r.deployment("web", 3)
	r.expect("deployment/web", "InProgress LessAvailable\nReplicaSet>Pod InProgress Pending x3")
	r.pods("app=web", 3, func(s *corev1.PodStatus) {
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message: "0/3 nodes are available: 3 Insufficient memory.", LastTransitionTime: metav1.NewTime(time.Now().Add(-10 * time.Minute))}}
	})
	list, err := r.client.CoreV1().Pods(r.namespace).List(t.Context(), metav1.ListOptions{})
	r.done(list, err)
	for _, pod := range list.Items {
		for _, kind := range []string{corev1.EventTypeNormal, corev1.EventTypeWarning} {
			r.done(r.client.CoreV1().Events(r.namespace).Create(t.Context(), &corev1.Event{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "scheduling-"}, Type: kind, Reason: "Scheduling" + kind, Message: "tried every node",
				Count:         3,
				LastTimestamp: metav1.Now(), InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace,
					Name: pod.Name}}, metav1.CreateOptions{}))
		}
	}
	text := r.expect("deployment/web", "InProgress LessAvailable\nReplicaSet>Pod Failed Unschedulable x3")
	for _, want := range []string{"Insufficient memory", "and 2 more like it", "SchedulingWarning: tried every node (3 times)",
		"add nodes that fit"} {
		if !strings.Contains(text, want) {
			t.Errorf("why does not say %q:\n%s", want, text)
		}
	}
}

func TestReading_badImage(t *testing.T) {
	r := newReading(t)
	r.deployment("web", 2)
	r.pods("app=web", 2, func(s *corev1.PodStatus) {
		s.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "ImagePullBackOff", Message: `Back-off pulling image "registry.invalid/app:1"`}}}}
	})
	text := r.expect("deployment/web", "InProgress LessAvailable\nReplicaSet>Pod Failed ImagePullBackOff x2")
	if want := "correct the name of the image"; !strings.Contains(text, want) {
		t.Errorf("why does not say %q:\n%s", want, text)
	}
}

func TestReading_failingJob(t *testing.T) {
	r := newReading(t)
	spec := podSpec()
	spec.RestartPolicy = corev1.RestartPolicyNever
	r.done(r.client.BatchV1().Jobs(r.namespace).Create(r.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "import"},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32), Template: corev1.PodTemplateSpec{Spec: spec}}}, metav1.CreateOptions{}))
	r.pods("job-name=import", 1, func(s *corev1.PodStatus) {
		s.Phase = corev1.PodFailed
		s.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 3, Reason: "Error", FinishedAt: metav1.Now()}}}}
	})
	text := r.expect("job/import", "Failed BackoffLimitExceeded\nPod Failed Error x1")
	if want := "exited with code 3"; !strings.Contains(text, want) {
		t.Errorf("why does not say %q:\n%s", want, text)
	}
}

func TestReading_pausedRollout(t *testing.T) {
	r := newReading(t)
	r.deployment("web", 0)
	r.expect("deployment/web", "Current ScaledToZero")
	r.done(r.client.AppsV1().Deployments(r.namespace).Patch(r.Context(), "web", types.MergePatchType, []byte(`{"spec": {"paused": true}}`),
		metav1.PatchOptions{}))
	r.expect("deployment/web", "Suspended Paused")
}

func TestReading_claimWithoutClass(t *testing.T) {
	r := newReading(t)
	r.done(r.client.CoreV1().PersistentVolumeClaims(r.namespace).Create(r.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}},
	}, metav1.CreateOptions{}))
	spec := podSpec()
	spec.Volumes = []corev1.Volume{{Name: "data",
		VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	r.done(r.client.CoreV1().Pods(r.namespace).Create(r.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: spec},
		metav1.CreateOptions{}))
	text := r.expect("pod/db", "InProgress Pending\nPersistentVolumeClaim Failed NoClass x1")
	if want := "name a class in spec.storageClassName"; !strings.Contains(text, want) {
		t.Errorf("why does not say %q:\n%s", want, text)
	}
}

func TestReading_stuckFinalizer(t *testing.T) {
	r := newReading(t)
	r.stuck("kept")
	if err := r.client.CoreV1().ConfigMaps(r.namespace).Delete(r.Context(), "kept", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	text := r.expect("configmap/kept", "Terminating FinalizersLeft\nTerminating FinalizersLeft x1")
	if want := "tristate.dev/stuck"; !strings.Contains(text, want) {
		t.Errorf("why does not say %q:\n%s", want, text)
	}
	r.release("kept")
	r.expect("configmap/kept", "NotFound")
}

func TestReading_namespaceThatWillNotGo(t *testing.T) {
	r := newReading(t)
	made, err := r.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "going-"}},
		metav1.CreateOptions{})
	r.done(made, err)
	r.namespace = made.Name
	r.stuck("kept")
	if err := r.client.CoreV1().Namespaces().Delete(r.Context(), r.namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	text := r.expect("namespace/"+r.namespace, "Terminating SomeFinalizersRemain\nConfigMap Terminating FinalizersLeft x1")
	if want := "tristate.dev/stuck"; !strings.Contains(text, want) {
		t.Errorf("why does not say %q:\n%s", want, text)
	}
	r.release("kept")
	r.expect("namespace/"+r.namespace, "NotFound")
}

// stuck creates an object with a finalizer that nobody removes.
func (r *reading) stuck(name string) {
	r.done(r.client.CoreV1().ConfigMaps(r.namespace).Create(r.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{"tristate.dev/stuck"}}}, metav1.CreateOptions{}))
}

func (r *reading) release(name string) {
	maps := r.client.CoreV1().ConfigMaps(r.namespace)
	m, err := maps.Get(r.Context(), name, metav1.GetOptions{})
	r.done(m, err)
	m.Finalizers = nil
	r.done(maps.Update(r.Context(), m, metav1.UpdateOptions{}))
}

// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// pick returns an object, which need not be there.
func (ch *chaos) pick() (kind, name string) {
	switch n := ch.IntN(12); {
	case n < 2:
		return "Rack", fmt.Sprint("r", ch.IntN(4))
	case n < 4:
		return "Row", fmt.Sprint("o", ch.IntN(3))
	}
	return "Widget", fmt.Sprint("w", ch.IntN(14))
}

// change reads an object, lets it be changed and writes it with the resource version, until that succeeds: by an update of the status, or
// by a merge patch of the status or of the whole. It reports false where there is no such object, or nothing to change.
func (ch *chaos) change(kind, name, as string, change func(*unstructured.Unstructured) bool) bool {
	ch.Helper()
	ctx := ch.patient()
	for {
		o, err := ch.objects(kind).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false
		}
		if err == nil {
			ch.intact(kind+"/"+name, o)
			if !change(o) {
				return false
			}
			if err = ch.put(ctx, kind, o, as); err == nil {
				return true
			}
		}
		if !apierrors.IsConflict(err) && ctx.Err() != nil {
			ch.Fatalf("change %s/%s: %v", kind, name, err)
		}
	}
}

func (ch *chaos) put(ctx context.Context, kind string, o *unstructured.Unstructured, as string) error {
	var err error
	switch as {
	case "update of the status":
		_, err = ch.objects(kind).UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: "somebody"})
	case "patch of the status":
		body := map[string]any{"metadata": map[string]any{"resourceVersion": o.GetResourceVersion()}, "status": o.Object["status"]}
		data, marshalErr := json.Marshal(body)
		ch.must(marshalErr)
		_, err = ch.objects(kind).Patch(ctx, o.GetName(), types.MergePatchType, data, metav1.PatchOptions{FieldManager: "patcher"}, "status")
	default:
		_, err = ch.objects(kind).Update(ctx, o, metav1.UpdateOptions{FieldManager: "user"})
	}
	return err
}

// writers are the ways to write a status.
var writers = []string{"update of the status", "patch of the status"}

// setEntry puts a condition into the list of an object, at a random place, or takes one out.
func (ch *chaos) setEntry(o *unstructured.Unstructured, conditionType string, entry map[string]any) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	list = slices.DeleteFunc(list, func(old any) bool { return old.(map[string]any)["type"] == conditionType })
	if entry != nil {
		list = slices.Insert(list, ch.IntN(len(list)+1), any(entry))
	}
	if o.Object["status"] == nil {
		o.Object["status"] = map[string]any{}
	}
	ch.must(unstructured.SetNestedSlice(o.Object, list, "status", "conditions"))
}

// write lets somebody write a condition that is not derived. entry nil takes it away.
func (ch *chaos) write(kind, name, conditionType string, entry func(*unstructured.Unstructured) map[string]any) {
	ch.Helper()
	key := kind + "/" + name
	var made map[string]any
	if ch.change(kind, name, writers[ch.IntN(len(writers))], func(o *unstructured.Unstructured) bool {
		made = entry(o)
		ch.setEntry(o, conditionType, made)
		return true
	}) {
		if ch.theirs[key] == nil {
			ch.theirs[key] = map[string]map[string]any{}
		}
		if delete(ch.theirs[key], conditionType); made != nil {
			ch.theirs[key][conditionType] = made
		}
	}
}

// report: the owner of a leaf of a widget reports it, at the generation of the object, at an older one or without.
func (ch *chaos) report() {
	leaf := []string{"Powered", "Powered", "Cooled", "Burning"}[ch.IntN(4)]
	cells := map[string][]string{"Powered": {"True PowerOn", "True PowerOn", "False Cut", "Unknown Checking", ""},
		"Cooled":  {"True Cool", "False Hot", "Unknown Measuring", ""},
		"Burning": {"True Flames", "False NoFlames", "", ""}}[leaf]
	status, reason, there := strings.Cut(cells[ch.IntN(len(cells))], " ")
	message := []string{"", fmt.Sprint("seen ", ch.IntN(3), " times")}[ch.IntN(2)]
	which := ch.IntN(3)
	ch.write("Widget", fmt.Sprint("w", ch.IntN(14)), leaf, func(o *unstructured.Unstructured) map[string]any {
		if !there {
			return nil
		}
		entry := map[string]any{"type": leaf, "status": status, "reason": reason, "message": message,
			"lastTransitionTime": "2026-01-02T03:04:05Z"}
		switch {
		case which == 0:
			entry["observedGeneration"] = o.GetGeneration()
		case which == 1 && o.GetGeneration() > 1:
			entry["observedGeneration"] = o.GetGeneration() - 1
		}
		return entry
	})
}

// others: somebody writes, or takes away, a condition of a type that no catalog has.
func (ch *chaos) others() {
	kind, name := ch.pick()
	conditionType, text := fmt.Sprint("Other", ch.IntN(3)), fmt.Sprint(ch.Uint32())
	away, more := ch.IntN(6) == 0, ch.IntN(2) == 0
	ch.write(kind, name, conditionType, func(_ *unstructured.Unstructured) map[string]any {
		if away {
			return nil
		}
		entry := map[string]any{"type": conditionType, "status": "True", "reason": "Theirs", "message": text,
			"lastTransitionTime": "2026-01-02T03:04:05Z"}
		if more && ch.keepsAll(kind) {
			entry["owner"] = map[string]any{"name": text} // of which nobody else knows
		}
		return entry
	})
}

// keepsAll reports whether the API server keeps fields of conditions that nobody has described.
func (ch *chaos) keepsAll(kind string) bool { return ch.lists[kind] == anything }

// note: somebody writes a label and an annotation.
func (ch *chaos) note() {
	kind, name := ch.pick()
	text := fmt.Sprint(ch.Uint32())
	if ch.change(kind, name, "update", func(o *unstructured.Unstructured) bool {
		o.SetLabels(map[string]string{"note": text})
		o.SetAnnotations(map[string]string{"note": text})
		return true
	}) {
		ch.notes[kind+"/"+name] = text
	}
}

// byHand: somebody edits or removes a derived condition: once each, as a second edit within the hour may already be one too many. A catalog
// that is not in force leaves it to them.
func (ch *chaos) byHand() {
	kind, name := ch.pick()
	key, conditionType := kind+"/"+name, derivedTypes[kind][ch.IntN(len(derivedTypes[kind]))]
	how := ch.IntN(4)
	if ch.edited[key] {
		return
	}
	if ch.change(kind, name, writers[ch.IntN(len(writers))], func(o *unstructured.Unstructured) bool {
		entry := maps.Clone(entries(o)[conditionType])
		switch {
		case entry == nil || paused(o):
			return false
		case how == 0:
			entry = nil
		case how == 1:
			entry["lastTransitionTime"] = "2099-01-02T03:04:05Z"
		default:
			entry["status"], entry["reason"], entry["message"] = "True", "ByHand", ""
		}
		ch.setEntry(o, conditionType, entry)
		return true
	}) {
		ch.edited[key], ch.touched[key+" "+conditionType] = true, true
	}
}

func (ch *chaos) create() {
	kind, name := ch.pick()
	ch.add(kind, name)
}

// add makes an object, if it is not there.
func (ch *chaos) add(kind, name string) {
	ch.Helper()
	spec := map[string]any{"rack": fmt.Sprint("r", ch.IntN(4)), "slots": int64(ch.IntN(4))}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": ch.group + "/v1", "kind": kind,
		"metadata": map[string]any{"name": name}, "spec": spec}}
	ctx := ch.patient()
	for {
		_, err := ch.objects(kind).Create(ctx, o.DeepCopy(), metav1.CreateOptions{})
		switch {
		case err == nil:
			ch.forget(kind + "/" + name)
			return
		case apierrors.IsAlreadyExists(err):
			return
		case ctx.Err() != nil:
			ch.Fatalf("create %s/%s: %v", kind, name, err)
		}
	}
}

func (ch *chaos) remove() {
	if ch.IntN(3) > 0 {
		return
	}
	kind, name := ch.pick()
	ctx := ch.patient()
	for {
		err := ch.objects(kind).Delete(ctx, name, metav1.DeleteOptions{})
		switch {
		case err == nil || apierrors.IsNotFound(err):
			ch.forget(kind + "/" + name)
			return
		case ctx.Err() != nil:
			ch.Fatalf("delete %s/%s: %v", kind, name, err)
		}
	}
}

// forget: an object is gone, with all that was written into it.
func (ch *chaos) forget(key string) {
	delete(ch.theirs, key)
	delete(ch.notes, key)
	delete(ch.edited, key)
	for _, types := range derivedTypes {
		for _, name := range types {
			delete(ch.touched, key+" "+name)
		}
	}
}

// move: the spec of an object changes.
func (ch *chaos) move() {
	kind, name := ch.pick()
	field, value := "rack", any(fmt.Sprint("r", ch.IntN(4)))
	if kind == "Rack" {
		field, value = "slots", int64(ch.IntN(4))
	}
	ch.change(kind, name, "update", func(o *unstructured.Unstructured) bool {
		return unstructured.SetNestedField(o.Object, value, "spec", field) == nil
	})
}

// pause: a widget is paused, or not any more.
func (ch *chaos) pause() {
	on := ch.IntN(3) == 0
	ch.setPaused(fmt.Sprint("w", ch.IntN(14)), on)
}

func (ch *chaos) setPaused(name string, on bool) {
	ch.change("Widget", name, "update", func(o *unstructured.Unstructured) bool {
		return unstructured.SetNestedField(o.Object, on, "spec", "paused") == nil
	})
}

func (ch *chaos) unpause() {
	for key, o := range ch.fleet() {
		if paused(o) {
			ch.setPaused(strings.TrimPrefix(key, "Widget/"), false)
		}
	}
}

// connect changes what the connections of the controller are like.
func (ch *chaos) connect() {
	[]func(){ch.proxy.mend, ch.proxy.mend, ch.proxy.silence, ch.proxy.cut, func() { ch.proxy.cut(); ch.proxy.mend() }}[ch.IntN(5)]()
}

// lie changes how the controller is answered.
func (ch *chaos) lie() {
	ch.liar.mode.Store([]int32{honest, honest, honest, unavailable, groupless, throttling, afterwards, hangingUp}[ch.IntN(8)])
}

// permit takes one of its permissions away from the controller, or gives all of them.
func (ch *chaos) permit() {
	if ch.IntN(2) == 0 {
		ch.setRights(ch.rights)
		return
	}
	i := ch.IntN(len(ch.rights))
	ch.setRights(slices.Delete(slices.Clone(ch.rights), i, i+1))
}

func (ch *chaos) setRights(rules []rbacv1.PolicyRule) {
	ch.Helper()
	client, err := kubernetes.NewForConfig(ch.config)
	ch.must(err)
	name := "user-of-" + ch.namespace + "-" + ch.rights[0].Resources[0]
	ch.wait(func() error {
		role, err := client.RbacV1().ClusterRoles().Get(ch.patient(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		role.Rules = rules
		_, err = client.RbacV1().ClusterRoles().Update(ch.patient(), role, metav1.UpdateOptions{})
		return err
	})
}

func (ch *chaos) edit() {
	kind := []string{"Rack", "Row"}[ch.IntN(2)]
	ch.editCatalog(kind, variants[kind][ch.IntN(len(variants[kind]))])
}

// editCatalog brings a catalog into a form.
func (ch *chaos) editCatalog(kind string, as variant) {
	ch.Helper()
	ch.as[kind] = as
	o := &unstructured.Unstructured{}
	ch.must(yaml.Unmarshal(ch.text(catalogAs(kind, as)), &o.Object))
	ch.wait(func() error {
		client := ch.client.Resource(catalogResource)
		if as == gone {
			if err := client.Delete(ch.patient(), o.GetName(), metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
				return err
			}
			return nil
		}
		_, err := client.Apply(ch.patient(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "test", Force: true})
		return err
	})
}

// kill ends the controller, mostly without a chance to put anything in order, and starts it again.
func (ch *chaos) kill() {
	ch.signal(syscall.SIGCONT) // it may be frozen
	ch.child.end([]syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM}[ch.IntN(3)])
	ch.child.start()
	clear(ch.edited)
}

// freeze lets the controller stand still, so that it is late for everything, or lets it go on.
func (ch *chaos) freeze() {
	ch.signal([]syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT}[ch.IntN(2)])
}

// server freezes the API server for a while, or kills it and starts it again over the same data.
func (ch *chaos) server() {
	pid := component(ch.plane.PID(), "kube-apiserver")
	if ch.IntN(3) > 0 && pid > 0 {
		ch.must(syscall.Kill(pid, syscall.SIGSTOP))
		time.Sleep(time.Duration(ch.IntN(5000)) * time.Millisecond) // trouble of random length
		ch.must(syscall.Kill(pid, syscall.SIGCONT))
		return
	}
	if pid == 0 {
		pid = ch.plane.PID()
	}
	ch.must(syscall.Kill(pid, syscall.SIGKILL))
	<-ch.plane.Done()
	time.Sleep(time.Duration(ch.IntN(5000)) * time.Millisecond) // trouble of random length
	ch.startServer()
	ch.must(ch.liar.use(ch.config, "user-of-"+ch.namespace))
}

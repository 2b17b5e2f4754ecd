// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Program is the environment variable that makes the test binary, or the demo, one of the programs. Its value is the command of the
// container.
const Program = "POD_PROGRAM"

// Programs are the commands of containers that run here, with the arguments that each gets in addition.
type Programs map[string][]string

// Options configure how pods run.
type Options struct {
	Dir      string // of the files of pods
	Command  string // run as each program, with [Program] set
	Programs Programs
}

// Kubelet runs the containers of pods. Make one with Start.
type Kubelet struct {
	Options

	client kubernetes.Interface
	proxy  *httptest.Server
	logs   *httptest.Server

	pods       listers.PodLister
	configMaps listers.ConfigMapLister
	secrets    listers.SecretLister
	queue      workqueue.TypedRateLimitingInterface[types.NamespacedName]

	mu      sync.Mutex
	running map[types.NamespacedName]*pod
	broken  string
	held    map[string]bool // namespaces
}

// Start runs pods until the context ends; wait returns once all processes have ended.
func Start(ctx context.Context, config *rest.Config, o Options) (k *Kubelet, wait func(), err error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	k = &Kubelet{Options: o, client: client, running: map[types.NamespacedName]*pod{}, held: map[string]bool{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]())}
	k.proxy = httptest.NewServer(k.route())
	k.logs = httptest.NewTLSServer(k.serveLogs())
	if err := k.serveNodes(ctx); err != nil {
		return nil, nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	core := factory.Core().V1()
	k.pods, k.configMaps, k.secrets = core.Pods().Lister(), core.ConfigMaps().Lister(), core.Secrets().Lister()
	for _, informer := range []cache.SharedIndexInformer{core.Pods().Informer(), core.ConfigMaps().Informer(), core.Secrets().Informer()} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: k.changed, UpdateFunc: func(_, o any) { k.changed(o) },
			DeleteFunc: k.changed}); err != nil {
			return nil, nil, err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	var workers sync.WaitGroup
	workers.Go(func() {
		for {
			key, stop := k.queue.Get()
			if stop {
				return
			}
			if err := k.sync(ctx, key); err != nil && ctx.Err() == nil {
				k.queue.AddRateLimited(key)
			} else {
				k.queue.Forget(key)
			}
			k.queue.Done(key)
		}
	})
	return k, func() {
		k.queue.ShutDown()
		workers.Wait()
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, p := range k.running {
			p.stop()
		}
		k.proxy.Close()
		k.logs.Close()
	}, nil
}

// Proxy returns the URL of the proxy that reaches the pods.
func (k *Kubelet) Proxy() string { return k.proxy.URL }

// Break lets the programs of pods whose name begins with a prefix fail: they get no arguments. An empty prefix ends it.
func (k *Kubelet) Break(prefix string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.broken = prefix
}

// Hold keeps the files of the pods of a namespace as they are, as a kubelet does between two looks at a ConfigMap; ending it brings them up
// to date.
func (k *Kubelet) Hold(namespace string, on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[namespace] = on
	for key := range k.running {
		if key.Namespace == namespace {
			k.queue.Add(key)
		}
	}
}

// changed queues the pods that an object concerns.
func (k *Kubelet) changed(o any) {
	if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	object, ok := o.(metav1.Object)
	if !ok {
		return
	}
	if _, isPod := o.(*corev1.Pod); isPod {
		k.queue.Add(types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()})
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.running {
		if key.Namespace == object.GetNamespace() {
			k.queue.Add(key)
		}
	}
}

// sync makes a pod run, or stop.
func (k *Kubelet) sync(ctx context.Context, key types.NamespacedName) error {
	object, err := k.pods.Pods(key.Namespace).Get(key.Name)
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.running[key]
	if err != nil || !object.DeletionTimestamp.IsZero() || p != nil && p.uid != object.UID {
		if p != nil {
			p.stop()
			delete(k.running, key)
		}
		if err == nil && object.DeletionTimestamp.IsZero() {
			k.queue.Add(key)
		}
		return nil
	}
	if object.Spec.NodeName == "" || !slices.ContainsFunc(object.Spec.Containers, k.runs) {
		return nil
	}
	if p == nil {
		p = &pod{uid: object.UID, dir: filepath.Join(k.Dir, string(object.UID)), ports: map[int]string{}}
		k.running[key] = p
	}
	if p.started && k.held[key.Namespace] {
		return nil
	}
	if err := k.mount(object, p); err != nil {
		return err
	}
	if p.started {
		return nil
	}
	p.started = true
	for _, c := range object.Spec.Containers {
		if k.runs(c) {
			if k.broken != "" && strings.HasPrefix(key.Name, k.broken) {
				c.Args = nil
			}
			if err := p.run(ctx, k, c); err != nil {
				return fmt.Errorf("run %s: %w", c.Name, err)
			}
		}
	}
	return nil
}

// runs reports whether a container runs here.
func (k *Kubelet) runs(c corev1.Container) bool {
	if len(c.Command) == 0 {
		return false
	}
	_, known := k.Programs[c.Command[0]]
	return known
}

// mount projects the volumes of a pod.
func (k *Kubelet) mount(o *corev1.Pod, p *pod) error {
	for _, volume := range o.Spec.Volumes {
		files := map[string][]byte{}
		switch {
		case volume.ConfigMap != nil:
			object, err := k.configMaps.ConfigMaps(o.Namespace).Get(volume.ConfigMap.Name)
			if err != nil && (volume.ConfigMap.Optional == nil || !*volume.ConfigMap.Optional) {
				return err
			}
			if err == nil {
				for name, text := range object.Data {
					files[name] = []byte(text)
				}
			}
		case volume.Secret != nil:
			object, err := k.secrets.Secrets(o.Namespace).Get(volume.Secret.SecretName)
			if err != nil {
				return err
			}
			files = object.Data
		default:
			continue
		}
		for _, c := range o.Spec.Containers {
			for _, m := range c.VolumeMounts {
				if m.Name == volume.Name {
					if err := project(filepath.Join(p.dir, m.MountPath), files); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// project makes a folder have files as a volume of a ConfigMap has them: name -> ..data/name, ..data -> a folder, replaced by a rename.
func project(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	same := true
	old, err := os.ReadDir(filepath.Join(dir, "..data"))
	if err != nil || len(old) != len(files) {
		same = false
	}
	for name, body := range files {
		if have, err := os.ReadFile(filepath.Join(dir, "..data", name)); err != nil || string(have) != string(body) {
			same = false
		}
	}
	if same {
		return nil
	}
	version := fmt.Sprintf("..%d", time.Now().UnixNano())
	if err := os.Mkdir(filepath.Join(dir, version), 0o755); err != nil {
		return err
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, version, name), body, 0o644); err != nil {
			return err
		}
	}
	before, _ := os.Readlink(filepath.Join(dir, "..data"))
	if err := os.Symlink(version, filepath.Join(dir, "..data_tmp")); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		return err
	}
	for name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			if err := os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if _, wanted := files[entry.Name()]; !wanted && entry.Type()&os.ModeSymlink != 0 && !strings.HasPrefix(entry.Name(), "..") {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if before != "" {
		return os.RemoveAll(filepath.Join(dir, before))
	}
	return nil
}

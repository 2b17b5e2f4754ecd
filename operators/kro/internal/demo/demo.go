// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/prove/plane"
	"github.com/tristate/tristate/operators/kro/internal/operator"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

// Files are what the demo needs.
type Files struct {
	Localplane string // the control plane; empty: bin/localplane of the repository
	CRDs       string // folder of kro's own CustomResourceDefinitions
	Definition string // of the kind WebApp
}

// stage is the cluster of the demo, with its output.
type stage struct {
	ctx    context.Context
	out    io.Writer
	api    client.Client
	config string // kubeconfig
}

// Run plays the demo.
func Run(ctx context.Context, out io.Writer, files Files) (err error) {
	fmt.Fprintln(out, "# a control plane with a node, and the operator for kro")
	p, err := plane.Start(ctx, plane.Options{Binary: files.Localplane, Nodes: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if _, err := envtest.InstallCRDs(p.Config(), envtest.CRDInstallOptions{Paths: []string{files.CRDs},
		ErrorIfPathMissing: true}); err != nil {
		return err
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return err
	}
	s := &stage{ctx: ctx, out: out, config: p.Kubeconfig()}
	if s.api, err = client.New(p.Config(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	own := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(catalog.CRDYAML, &own.Object); err != nil {
		return err
	}
	if err := s.api.Create(ctx, own); err != nil {
		return err
	}
	o, err := operator.New(p.Config(), operator.Options{Registry: prometheus.NewRegistry(), Manager: manager.Options{
		Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}}})
	if err != nil {
		return err
	}
	work, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- o.Start(work) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	return s.play(files.Definition)
}

// play runs the acts of the demo, one after the other.
func (s *stage) play(file string) error {
	definition, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	const shop = "{apiVersion: kro.run/v1alpha1, kind: WebApp, metadata: {name: shop, namespace: default}, spec: {outcome: hang}}"
	const broken = "{apiVersion: kro.run/v1alpha1, kind: WebApp, metadata: {name: broken, namespace: default}, spec: {outcome: image-pull, " +
		"deadline: 2}}"
	const crd = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: webapps.kro.run}}"
	webapp := string(definition)
	apply := func(text string) string { return "kubectl apply -f - <<< '" + text + "'" }
	ready := func(name string) string {
		return "kubectl patch webapp/" + name + ` --type merge -p '{"spec": {"outcome": "ready"}}'`
	}
	for _, act := range []struct {
		title, command string
		do             func() error
		of             string // the object to be waited for
		ready          string
		show           []string
	}{
		{"a definition becomes a kind", "kubectl apply -f " + file, func() error { return s.create(webapp) }, webapp, "True",
			[]string{"status", "resourcegraphdefinitions"}},
		{"an instance, whose Deployment gets no pod: kro calls it ready", apply(shop), func() error { return s.create(shop) }, shop, "Unknown",
			[]string{"tree", "webapp/shop"}},
		{"the pod comes up", ready("shop"), func() error { return s.set(shop, "ready", "spec", "outcome") }, shop, "True",
			[]string{"tree", "webapp/shop"}},
		{"an image that cannot be pulled: a person must act", apply(broken), func() error { return s.create(broken) }, broken, "False",
			[]string{"why", "webapp/broken"}},
		{"it is corrected", ready("broken"), func() error { return s.set(broken, "ready", "spec", "outcome") }, broken, "True",
			[]string{"status", "webapps"}},
		{"the definition is deleted: its instances report that they are not maintained", "kubectl delete rgd webapp",
			func() error { return s.delete(webapp, false) }, shop, "False", []string{"why", "webapp/shop"}},
		{"it is made again", "kubectl apply -f " + file, func() error { return s.create(webapp) }, shop, "True", []string{"status", "webapps"}},
		{"the CustomResourceDefinition is deleted, and comes back", "kubectl delete crd webapps.kro.run",
			func() error { return s.delete(crd, true) }, webapp, "True",
			[]string{"status", "resourcegraphdefinition/webapp", "customresourcedefinition/webapps.kro.run"}},
	} {
		fmt.Fprintf(s.out, "\n# %s\n$ %s\n", act.title, act.command)
		if err := act.do(); err != nil {
			return fmt.Errorf("%s: %w", act.title, err)
		}
		if err := s.wait(act.of, act.ready); err != nil {
			return fmt.Errorf("%s: %w", act.title, err)
		}
		fmt.Fprintf(s.out, "$ tristate %s\n", strings.Join(act.show, " "))
		app := cli.New()
		app.Out, app.Err = s.out, s.out
		app.Run(s.ctx, append(act.show, "--kubeconfig", s.config))
	}
	return nil
}

// decode reads one object.
func decode(text string) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	return u, yaml.Unmarshal([]byte(text), &u.Object)
}

// create creates an object, as soon as its kind is served.
func (s *stage) create(text string) error {
	u, err := decode(text)
	if err != nil {
		return err
	}
	return s.until(func() error { return s.api.Create(s.ctx, u.DeepCopy()) })
}

// set changes a field of an object.
func (s *stage) set(text, value string, path ...string) error {
	u, err := decode(text)
	if err != nil {
		return err
	}
	return s.until(func() error {
		if err := s.api.Get(s.ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
			return err
		}
		return s.api.Update(s.ctx, u)
	})
}

// delete deletes an object and waits until it is gone, or until another one of its name exists.
func (s *stage) delete(text string, again bool) error {
	u, err := decode(text)
	if err != nil {
		return err
	}
	if err := s.api.Get(s.ctx, client.ObjectKeyFromObject(u), u); err != nil {
		return err
	}
	old := u.GetUID()
	if err := s.api.Delete(s.ctx, u); err != nil {
		return err
	}
	return s.until(func() error {
		err := s.api.Get(s.ctx, client.ObjectKeyFromObject(u), u)
		switch {
		case apierrors.IsNotFound(err) && !again:
			return nil
		case err == nil && u.GetUID() == old:
			return errors.New("it is still there")
		}
		return err
	})
}

// wait waits until Ready of an object has a status at its current generation.
func (s *stage) wait(text, status string) error {
	u, err := decode(text)
	if err != nil {
		return err
	}
	return s.until(func() error {
		if err := s.api.Get(s.ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, entry := range list {
			c, _ := entry.(map[string]any)
			if c["type"] == "Ready" && c["status"] == status && c["observedGeneration"] == u.GetGeneration() {
				return nil
			}
		}
		return fmt.Errorf("%s: Ready is not %s", u.GetName(), status)
	})
}

// until repeats something for two minutes.
func (s *stage) until(f func() error) error {
	var err error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) && s.ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if err = f(); err == nil {
			return nil
		}
	}
	return errors.Join(err, s.ctx.Err())
}

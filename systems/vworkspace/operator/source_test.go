// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/applicationinstance"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// charts is an OCI registry with charts, which can go away and come back at its address.
type chartRegistry struct {
	handler http.Handler
	address string
	server  *http.Server
}

func (r *chartRegistry) up(t *testing.T) {
	t.Helper()
	if r.address == "" {
		r.address = world.Free(t)
	}
	socket, err := net.Listen("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	r.address = socket.Addr().String()
	r.server = &http.Server{Handler: r.handler, ReadHeaderTimeout: time.Minute}
	server := r.server
	go func() { _ = server.Serve(socket) }() // ends with down
}

func (r *chartRegistry) down() { _ = r.server.Close() }

// push puts a chart into the registry, as Helm does. The templates are one file.
func (r *chartRegistry) push(t *testing.T, chart, version, templates string) {
	t.Helper()
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	files := tar.NewWriter(zipped)
	metadata := fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", chart, version)
	for _, file := range [][2]string{{"Chart.yaml", metadata}, {"templates/all.yaml", templates}} {
		if err := files.WriteHeader(&tar.Header{Name: chart + "/" + file[0], Mode: 0o644, Size: int64(len(file[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(files, file[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), "application/vnd.cncf.helm.config.v1+json")
	image, err := mutate.AppendLayers(image, static.NewLayer(archive.Bytes(), "application/vnd.cncf.helm.chart.content.v1.tar+gzip"))
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(fmt.Sprintf("%s/charts/%s:%s", r.address, chart, version), name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
}

// partner runs a program of another project against the control plane; make partners in this folder builds it.
func (w *vworkspace) partner(t *testing.T, name string, args ...string) {
	t.Helper()
	binary, err := filepath.Abs("../../../bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("bin/%s has not been built; run: make partners", name)
	}
	logs, err := os.Create(filepath.Join(t.TempDir(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+w.Admin, "RUNTIME_NAMESPACE="+system, "TUF_ROOT="+t.TempDir())
	command.Stdout, command.Stderr = logs, logs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
		if t.Failed() {
			if text, err := os.ReadFile(logs.Name()); err == nil {
				t.Logf("%s:\n%s", name, text[max(0, len(text)-4000):])
			}
		}
		logs.Close()
	})
}

// sourceController runs the real source-controller of Flux.
func (w *vworkspace) sourceController(t *testing.T) {
	t.Helper()
	address := world.Free(t)
	w.partner(t, "source-controller", "--storage-path="+t.TempDir(), "--storage-addr="+address, "--storage-adv-addr="+address,
		"--watch-all-namespaces=true", "--enable-leader-election=false", "--events-addr=", "--metrics-addr=0", "--health-addr=0",
		"--log-level=error")
}

// partners skips a test unless the programs of other projects were built for it.
func partners(t *testing.T) {
	t.Helper()
	if os.Getenv("TRISTATE_PARTNERS") != "1" {
		t.Skip("runs with make partners in this folder")
	}
}

// again makes source-controller look at the source at once, as "flux reconcile" does, and not after its interval.
func (w *vworkspace) again(t *testing.T, o *appsapi.ApplicationInstance) {
	t.Helper()
	world.Eventually(t, func() error {
		u := object("source.toolkit.fluxcd.io/v1", "OCIRepository", o.Namespace, applicationinstance.SourceName(o))
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		annotations := u.GetAnnotations()
		annotations["reconcile.fluxcd.io/requestedAt"] = time.Now().Format(time.RFC3339Nano)
		u.SetAnnotations(annotations)
		return w.API.Update(t.Context(), u)
	})
}

// TestSourceController: the real source-controller fetches a real chart from a real registry, which goes away and comes back.
func TestSourceController(t *testing.T) {
	t.Parallel()
	partners(t)
	w := start(t)
	r := &chartRegistry{handler: registry.New(registry.Logger(discard))}
	r.up(t)
	t.Cleanup(r.down)
	r.push(t, "shop", "1.0.0", "")
	o := instance(w.namespace(t), "shop")
	o.Spec.Chart = appsapi.Chart{SourceType: "oci", URL: "oci://" + r.address + "/charts", Name: "shop", Version: "1.0.0", Insecure: true}
	w.Create(t, o)
	w.Seen.Reach(t, o, "Reconciling=True ChartSourceSyncing", "Ready=Unknown Reconciling")
	w.sourceController(t)
	w.Seen.Reach(t, o, "Reconciling=True HelmReleaseInstalling")
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReadyWithWarnings", "Reconciling=False Stable")

	// The registry goes away: the application runs on.
	r.down()
	w.again(t, o)
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReadyWithWarnings", "Degraded=True ChartUnreachable")
	// A new version cannot be fetched.
	world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Version = "1.1.0" })
	w.Seen.Reach(t, o, "Ready=False ChartUnreachable", "Reconciling=True ChartSourceSyncing", "Degraded=True ChartUnreachable")
	r.up(t)
	r.push(t, "shop", "1.1.0", "")
	w.again(t, o)
	w.Seen.Reach(t, o, "Ready=False Upgrading", "Reconciling=True HelmReleaseUpgrading", "Degraded=False Recovered")
	w.helmWrites(t, o, "upgraded")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReadyWithWarnings", "Reconciling=False Stable")

	// A version that the registry does not have, and a repository that it does not have; each is corrected.
	for _, change := range []func(*appsapi.Chart){func(c *appsapi.Chart) { c.Version = "9.9.9" }, func(c *appsapi.Chart) { c.Name = "shoe" }} {
		right := o.Spec.Chart
		world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { change(&o.Spec.Chart) })
		w.Seen.Reach(t, o, "Blocked=True MissingChartSource")
		world.Edit(t, w.World, o, func(o *appsapi.ApplicationInstance) { o.Spec.Chart = right })
		w.Seen.Reach(t, o, "Blocked=False Unblocked")
		w.helmWrites(t, o, "upgraded")
		w.Seen.Reach(t, o, "Ready=True HelmReleaseReadyWithWarnings")
	}
	if c := w.Condition(t, o, "Ready"); c.Status != metav1.ConditionTrue {
		t.Errorf("Ready is %s", c.Status)
	}
}

// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world/stage"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// First is the test of the first commands on the page of a system: what --stay keeps up is started, the objects of [stage.Demo].First are
// applied as they are, and all of them become Current. It is called in the folder of the operator, and is skipped as [Play] is.
func First(t *testing.T, d stage.Demo) {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane with nodes")
	}
	Turn(t)
	ctx, cancel := context.WithCancel(t.Context())
	applied := errors.New("the stage was never up")
	done := make(chan struct{})
	stay := func(kubeconfig string) {
		go func() {
			defer close(done)
			defer cancel()
			applied = first(ctx, kubeconfig, filepath.Join("..", "..", "..", d.First))
		}()
	}
	err := d.Run(ctx, stage.Options{Out: io.Discard, Stay: stay})
	if errors.Is(err, plane.ErrNotBuilt) && os.Getenv("TRISTATE_REQUIRE_PLANE") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if <-done; applied != nil {
		t.Error(applied)
	}
}

// first creates the objects of a file and waits for them.
func first(ctx context.Context, kubeconfig, file string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	api, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), len(data))
	for {
		u := &unstructured.Unstructured{}
		err := documents.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = api.Create(ctx, u)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	var out bytes.Buffer
	app := cli.New()
	app.Out, app.Err = &out, &out
	if code := app.Run(ctx, []string{"wait", "-f", file, "--timeout", stage.Patience.String(), "--kubeconfig", kubeconfig}); code != 0 {
		return fmt.Errorf("tristate wait -f %s: exit code %d\n%s", file, code, out.String())
	}
	return nil
}

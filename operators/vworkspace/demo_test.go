// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tristate/tristate/operators/internal/stage"
	"github.com/tristate/tristate/operators/vworkspace/internal/demo"
)

// TestDemo plays the story, holds the excerpt on the page to it, and finds no claim and no token in it.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a control plane with nodes")
	}
	if _, err := os.Stat("../../bin/localplane"); err != nil && os.Getenv("TRISTATE_REQUIRE_PLANE") != "1" {
		t.Skip(err)
	}
	var out bytes.Buffer
	if err := demo.Run(t.Context(), demo.Options{Out: &out}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := stage.Excerpt(string(text), out.String()); err != nil {
		t.Error(err)
	}
	for _, secret := range []string{"vws1.e", "registration-token", "dddddddd"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s is printed:\n%s", secret, out.String())
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/clitest"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/live"
	"github.com/tristate/tristate/internal/plane"
)

// versioned are catalogs by which the two versions of a kind have different verdicts.
const versioned = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parcels}
spec:
  for: {group: same.example.dev, kind: Parcel, versions: [v1]}
  dialect: core
  conditions:
  - {type: Ready, meaning: It is there., role: summary, polarity: positive, presence: always, reasons: [{reason: Lost, status: "False", class: terminal, meaning: It is lost.}]}
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parcels-old}
spec:
  for: {group: same.example.dev, kind: Parcel, versions: [v1beta1]}
  dialect: core
  conditions:
  - {type: Ready, meaning: It is there., role: summary, polarity: positive, presence: always, reasons: [{reason: Lost, status: "False", class: progress, meaning: It is looked for.}]}
`

// TestSameAnswer: each command gives one answer about objects that do not change, however often it runs: it reads a kind in the version that the
// API server prefers. The client of discovery returns versions, and groups that share a short name, in another order each time.
func TestSameAnswer(t *testing.T) {
	config := plane.ForTest(t)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	old := strings.Replace(definition("same.example.dev", "Parcel"), "{kind: Parcel,", "{kind: Parcel, shortNames: [psl],", 1)
	_, version, _ := strings.Cut(old, "  versions:\n")
	two := old + strings.NewReplacer("v1beta1", "v1", "storage: true", "storage: false").Replace(version)
	other := strings.Replace(definition("another.example.dev", "Letter"), "{kind: Letter,", "{kind: Letter, shortNames: [psl],", 1)
	if err := live.Install(ctx, config, []byte(two), []byte(other)); err != nil {
		t.Fatal(err)
	}
	namespace := plane.Namespace(t, config)
	create(t, config, namespace, `
apiVersion: same.example.dev/v1
kind: Parcel
metadata: {name: book}
status: {conditions: [{type: Ready, status: "False", reason: Lost, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}
`)
	catalogs := filepath.Join(t.TempDir(), "parcels.yaml")
	if err := os.WriteFile(catalogs, []byte(versioned), 0o600); err != nil {
		t.Fatal(err)
	}
	kubeconfig := clitest.Kubeconfig(t, config, namespace, "")
	now := time.Now()
	for _, command := range []string{"status", "status -o json", "status psl -o json", "status all -o json", "tree parcel/book", "tree parcel/book -o json", "status parcels -o wide",
		"why parcel/book", "wait parcel/book --timeout 0 -o json", "compare context=test context=test --exit-code"} {
		t.Run(command, func(t *testing.T) {
			want := ""
			for n := range 8 {
				var out, errs bytes.Buffer
				a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: func() time.Time { return now }, Name: "tristate"}
				code := a.Run(t.Context(), append(strings.Fields(command), "--kubeconfig", kubeconfig, "--catalogs", catalogs))
				if compared := strings.HasPrefix(command, "compare"); compared && (code != exit.OK || !strings.Contains(out.String(), "0 worse, 0 gone, 0 changed, 0 better, 0 new")) {
					t.Fatalf("run %d: exit code %d\n%s%s", n, code, &out, &errs)
				}
				if n == 0 {
					want = out.String()
					if want == "" || strings.Contains(want, "v1beta1") {
						t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
					}
				} else if diff := cmp.Diff(want, out.String()); diff != "" {
					t.Fatalf("run %d: -first +now\n%s", n, diff)
				}
			}
		})
	}
}

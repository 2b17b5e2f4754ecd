// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const rulesCatalog = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: shelves.example.org}
spec:
  for: {group: example.org, kind: Shelf}
  dialect: core
  manage: {manager: tristate}
  relations:
    books: {kind: Book.read.example.org, ref: self.metadata.name, meaning: The books.}
  conditions:
  - {type: Ready, meaning: Ready., role: summary, derive: {mirror: {of: books, type: Ready}}}
`

// TestRulesAsDocumented compares the table of rights in docs/operation.md with [controller.Rules] of a catalog that manages one kind and
// reads another.
func TestRulesAsDocumented(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"shelf.yaml": []byte(rulesCatalog)})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := controller.Rules(controller.Options{Catalogs: given(set)},
		func(gk schema.GroupKind) string { return strings.ToLower(gk.Kind) })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, r := range rules {
		verbs := strings.Join(r.Verbs, ", ")
		switch row := ruleName(r); {
		case row == "shelf/status (example.org)":
			want["managed"] += "; " + verbs + " on their status"
		case row == "shelf (example.org)" && want["managed"] != "":
			want["managed"] += ", " + verbs
		case row == "shelf (example.org)":
			want["managed"] = verbs
		case row == "book (read.example.org)":
			want["read"] = verbs
		default:
			want[row] = verbs
		}
	}
	page, err := os.ReadFile("../docs/operation.md")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	_, table, _ := strings.Cut(string(page), "| resource | verbs | for |\n|---|---|---|\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) < 3 {
			break
		}
		row := strings.TrimPrefix(cells[0], "| ")
		switch {
		case strings.Contains(row, "`rbac.read`"):
			row = "read"
		case strings.Contains(row, "`rbac.write`"):
			row = "managed"
		}
		got[strings.TrimSuffix(row, ", in its own namespace")] = cells[1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights (-Rules +docs/operation.md):\n%s", diff)
	}
}

func ruleName(r rbacv1.PolicyRule) string {
	return strings.Join(r.Resources, ", ") + " (" + strings.Join(r.APIGroups, ", ") + ")"
}

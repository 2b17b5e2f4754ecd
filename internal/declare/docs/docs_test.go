// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/docs"
	"github.com/tristate/tristate/systems"
)

func kinds(t *testing.T) []*catalog.Kind {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	return set.Kinds()
}

// TestPageHasEverything: a page has each type, reason, meaning and remedy that is declared.
func TestPageHasEverything(t *testing.T) {
	page := docs.Page("Conditions", kinds(t))
	for _, k := range kinds(t) {
		for _, c := range k.Source.Spec.Conditions {
			if !strings.Contains(page, "### "+k.For.Kind+" "+c.Type+"\n") {
				t.Errorf("%s %s has no section", k.For.Kind, c.Type)
			}
			for _, r := range c.Reasons {
				for _, text := range []string{r.Reason, r.Meaning, r.Remedy} {
					if !strings.Contains(page, strings.Join(strings.Fields(text), " ")) {
						t.Errorf("%s %s: the page lacks %q", k.For.Kind, c.Type, text)
					}
				}
			}
		}
	}
}

// TestDrift: a region that was just written does not differ, and one edited word of it does, with its line.
func TestDrift(t *testing.T) {
	const file = "Before.\n\n<!-- tristate:begin ToolPolicy/Ready -->\n<!-- tristate:end -->\n\nAfter.\n"
	once, err := docs.Update("page.md", file, kinds(t))
	if err != nil {
		t.Fatal(err)
	}
	again, err := docs.Update("page.md", once, kinds(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(once, again); diff != "" {
		t.Errorf("a second time (-once +again):\n%s", diff)
	}
	edited := strings.Replace(once, "no sandbox names it", "no router names it", 1)
	if edited == once {
		t.Fatal("nothing was edited")
	}
	want, err := docs.Update("page.md", edited, kinds(t))
	if err != nil {
		t.Fatal(err)
	}
	line, has, wants := docs.Difference(edited, want)
	if line == 0 || !strings.Contains(has, "no router names it") || !strings.Contains(wants, "no sandbox names it") {
		t.Errorf("difference in line %d: %q, want %q", line, has, wants)
	}
	if !strings.HasPrefix(want, "Before.\n") || !strings.HasSuffix(want, "\nAfter.\n") {
		t.Errorf("text outside of the region changed:\n%s", want)
	}
}

// TestBadRegions: an error in a region has its line.
func TestBadRegions(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no end":   {"x\n<!-- tristate:begin ToolPolicy -->\n", "page.md:2: the region has no end: write <!-- tristate:end -->"},
		"no begin": {"<!-- tristate:end -->\n", "page.md:1: a region ends that did not begin"},
		"within": {"<!-- tristate:begin ToolPolicy -->\n<!-- tristate:begin ToolPolicy -->\n<!-- tristate:end -->\n",
			"page.md:2: a region begins within the one of line 1"},
		"no kind": {"<!-- tristate:begin Strange -->\n<!-- tristate:end -->\n", "page.md:1: no catalog for kind Strange"},
		"no type": {"<!-- tristate:begin ToolPolicy/Strange -->\n<!-- tristate:end -->\n",
			"page.md:1: ToolPolicy.kars.azure.com declares no condition Strange"},
		"two kinds": {"<!-- tristate:begin Cluster -->\n<!-- tristate:end -->\n",
			"page.md:1: kind Cluster is ambiguous: write Cluster.cluster.x-k8s.io or Cluster.ops.vworkspace.io"},
		"no regions": {"text\n", "page.md: " + docs.ErrNoRegion.Error()},
	}
	for name, test := range tests {
		_, err := docs.Update("page.md", test.text, kinds(t))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		if name == "no regions" && !errors.Is(err, docs.ErrNoRegion) {
			t.Errorf("%s: is no ErrNoRegion", name)
		}
	}
}

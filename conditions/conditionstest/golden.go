// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
)

// Golden compares results with the table in a file: a line a result in order of name, a column a type, "-" where the type is absent. With
// UPDATE=1 in the environment it writes the file.
func Golden(t testing.TB, file string, results map[string]conditions.Result) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	types := sorted(results)
	fmt.Fprintf(w, "\t%s\n", strings.Join(types, "\t"))
	for _, name := range slices.Sorted(maps.Keys(results)) {
		cells := Cells(results[name])
		fmt.Fprint(w, name)
		for _, one := range types {
			fmt.Fprintf(w, "\t%s", cmp.Or(cells[one], "-"))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; UPDATE=1 writes it", err)
	}
	if diff := gocmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s: -want +got\n%s\nUPDATE=1 writes it", file, diff)
	}
}

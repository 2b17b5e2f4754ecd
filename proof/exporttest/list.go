// SPDX-License-Identifier: Apache-2.0

package exporttest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/export"
)

var update = flag.Bool("update", false, "write the lists of differences again")

// pair is a difference of a kind.
type pair struct{ kind, id string }

// row is the first object on which a difference shows.
type row struct{ from, example, want, got string }

// compared reports whether what objects of an origin show is compared: it is the same everywhere.
func compared(from string) bool { return from == ofState || from == ofCase }

// show notes that a difference of a kind shows on an object, on one that is compared rather than on another.
func (p *proof) show(s *export.Subject, id string, o named, want string, got Answer, err error) {
	key := pair{s.Name(), id}
	if before, ok := p.shown[key]; ok && (compared(before.from) || !compared(o.from)) {
		return
	}
	r := row{o.from, o.name, want, got.Word}
	switch {
	case err != nil:
		r.got = "error"
	case want == got.Word:
		r.got = "other message"
	}
	p.shown[key] = r
}

// header explains the columns of a list.
const header = "# kind, difference, where it shows (state, case, generated, corpus), the first such object, the verdict's word, the " +
	"consumer's\n"

// compareList compares the differences that states and the objects of tests show, kind by kind, with the list of the consumer: one that is
// not in the list fails, and so does one of the list that they show no more. Generated objects are others whenever a catalog changes, so
// what they alone show is listed and not compared; neither is what corpora show, which are not everywhere.
func (p *proof) compareList() {
	if os.Getenv("TRISTATE_EXPORTS_KIND") != "" {
		p.t.Log("the list of differences is compared in a run over all kinds")
		return
	}
	var rows, want, got []string
	for key, r := range p.shown {
		rows = append(rows, strings.Join([]string{key.kind, key.id, r.from, r.example, r.want, r.got}, "\t"))
		if compared(r.from) {
			got = append(got, key.kind+" "+key.id)
		}
	}
	slices.Sort(rows)
	slices.Sort(got)
	file := filepath.Join(repository(p.t), filepath.FromSlash(p.c.List))
	if *update {
		if err := os.WriteFile(file, []byte(header+strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Split(line, "\t"); len(fields) > 2 && compared(fields[2]) {
			want = append(want, fields[0]+" "+fields[1])
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("%s differs; -update writes it again (-want +got):\n%s", p.c.List, diff)
	}
}

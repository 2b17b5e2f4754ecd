// SPDX-License-Identifier: Apache-2.0

package exporttest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// An Answer is what a consumer answers about an object.
type Answer struct {
	Word, Message string
}

// A Consumer is a tool whose own code is asked.
type Consumer struct {
	// Word translates a verdict into the words of the consumer.
	Word func(verdict.Status) string
	// Messages: the consumer carries the message of the verdict.
	Messages bool
	// List is the file, from the root of the repository, that names the kinds of each difference.
	List string
	// Error is the word for an error of the consumer; empty: there must be none.
	Error string
	// For prepares a kind: the differences that its export lists, and the function that asks the consumer.
	For func(testing.TB, *export.Subject) ([]export.Difference, func(map[string]any) (Answer, error))
	// Excuses returns further differences on which a verdict rests; nil: none.
	Excuses func(s *export.Subject, object map[string]any, v *verdict.Verdict, err error) []string
}

// Long is the variable of the environment that asks for the long form: the number of generated objects for each kind.
const Long = "TRISTATE_EXPORTS"

// proof is one run.
type proof struct {
	t        *testing.T
	c        Consumer
	engine   *verdict.Engine
	objects  int
	excused  map[string]int  // answers that differ, by ID
	listed   map[string]bool // IDs
	shown    map[pair]row    // the first object that shows a difference of a kind
	failures map[string]int  // by kind; only the first ones are printed
}

// Prove compares the answers of a consumer with the verdicts.
func Prove(t *testing.T, c Consumer) {
	own, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	p := &proof{t: t, c: c, engine: pack.Engine(own, packs), excused: map[string]int{}, listed: map[string]bool{}, shown: map[pair]row{},
		failures: map[string]int{}}
	real := realObjects(t)
	kinds := 0
	for _, s := range append(export.All(own), export.All(packs)...) {
		if only := os.Getenv("TRISTATE_EXPORTS_KIND"); only != "" && s.Name() != only {
			continue
		}
		kinds++
		p.subject(s, real[s.Name()])
	}
	t.Logf("%d kinds, %d objects", kinds, p.objects)
	for _, id := range slices.Sorted(keys(p.listed)) {
		t.Logf("difference %s: %d answers", id, p.excused[id])
		if p.excused[id] == 0 && os.Getenv("TRISTATE_EXPORTS_KIND") == "" && os.Getenv(Long) != "0" {
			t.Errorf("difference %s is listed and no object shows it", id)
		}
	}
	p.compareList()
}

// subject compares the answers about one kind.
func (p *proof) subject(s *export.Subject, objects []named) {
	differences, ask := p.c.For(p.t, s)
	for _, d := range differences {
		p.listed[d.ID] = true
	}
	for _, k := range s.Kinds {
		for _, state := range export.States(s, k) {
			p.compare(s, differences, ask, named{ofState, state.Name, state.Object, export.Now})
		}
	}
	for _, o := range objects {
		if o.from != ofCorpus {
			p.compare(s, differences, ask, o)
		}
	}
	for _, k := range s.Kinds {
		g := newGenerator(s, k)
		for i := range count(k) {
			p.compare(s, differences, ask, named{generated, strconv.Itoa(i), g.object(), export.Now})
		}
	}
	for _, o := range objects {
		if o.from == ofCorpus {
			p.compare(s, differences, ask, o)
		}
	}
}

// count returns the number of generated objects for a kind.
func count(k *catalog.Kind) int {
	if n, err := strconv.Atoi(os.Getenv(Long)); err == nil {
		return n
	}
	if len(k.Declaration.Types) > 0 {
		return 200
	}
	return 20
}

// named is an object that is compared. Those that exist are judged in their own time.
type named struct {
	from, name string
	object     map[string]any
	now        time.Time
}

// The sources of objects, in the order in which they are compared.
const (
	ofState   = "state"
	ofCase    = "case"
	generated = "generated"
	ofCorpus  = "corpus"
)

func (p *proof) compare(s *export.Subject, differences []export.Difference, ask func(map[string]any) (Answer, error), o named) {
	p.objects++
	v := p.engine.Judge(o.object, o.now)
	got, err := ask(o.object)
	want := p.c.Word(v.Status)
	same := err == nil && got.Word == want || err != nil && p.c.Error == want
	if same && (!p.c.Messages || got.Message == v.Message || v.Status == verdict.Terminating) {
		return
	}
	why := excuses(s, differences, o.object, &v)
	if p.c.Excuses != nil {
		why = append(why, p.c.Excuses(s, o.object, &v, err)...)
	}
	why = slices.DeleteFunc(why, func(id string) bool {
		return !slices.ContainsFunc(differences, func(d export.Difference) bool { return d.ID == id })
	})
	if same && len(why) == 0 && slices.ContainsFunc(differences, func(d export.Difference) bool {
		return d.ID == export.Message && strings.HasSuffix(v.Rule, "/"+d.Where)
	}) {
		why = []string{export.Message}
	}
	if same && got.Message == "" && len(why) == 0 {
		why = []string{export.Conventions} // a rule without a message: a condition that it does not read explains the verdict
	}
	if len(why) > 0 {
		for _, id := range why {
			p.excused[id]++
			p.show(s, id, o, want, got, err)
		}
		return
	}
	if p.failures[s.Name()]++; p.failures[s.Name()] > 2 {
		p.t.Fail()
		return
	}
	text, _ := yaml.Marshal(o.object)
	p.t.Errorf("%s, %s %s: want %s %q by %s, got %s %q %v\n%s", s.Name(), o.from, o.name, want, v.Message, v.Rule, got.Word, got.Message,
		err, text)
}

// realObjects returns the objects of the tests of packs and, where there are some next to the repository, those of corpora and witnesses,
// by kind.
func realObjects(t *testing.T) map[string][]named {
	root := repository(t)
	out, dirs := map[string][]named{}, map[string][]string{}
	shared := filepath.Join(root, "..", "shared")
	if _, err := os.Stat(filepath.Join(shared, "corpus")); err == nil {
		dirs[filepath.Join(shared, "corpus")] = []string{"argocd-lua", "kstatus-tests", "kstatus-edge"}
		dirs[filepath.Join(shared, "witness")] = nil
	} else {
		t.Log("no corpora next to the repository: only the objects of tests and generated ones are compared")
	}
	add := func(from, name string, object map[string]any, now time.Time) {
		api, _ := object["apiVersion"].(string)
		kind, _ := object["kind"].(string)
		group, _, found := strings.Cut(api, "/")
		if !found {
			group = ""
		}
		key := strings.TrimSuffix(kind+"."+group, ".")
		out[key] = append(out[key], named{from, name, object, now})
	}
	files, err := filepath.Glob(filepath.Join(root, "catalogs", "packs", "testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of packs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := pack.ReadCases(filepath.Base(file), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			now := c.Now
			if now.IsZero() {
				now = export.Now
			}
			add(ofCase, filepath.Base(file)+": "+c.Name, c.Object, now)
		}
	}
	for dir, sets := range dirs {
		rows, err := score.Read(dir, sets, export.Now)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			add(ofCorpus, rows[i].ID, rows[i].Object, lastTime(rows[i].Object, export.Now))
		}
	}
	return out
}

// lastTime returns the latest time in an object, or else a later one.
func lastTime(v any, last time.Time) time.Time {
	switch v := v.(type) {
	case string:
		if t, err := time.Parse(time.RFC3339, v); err == nil && t.After(last) {
			return t
		}
	case map[string]any:
		for _, one := range v {
			last = lastTime(one, last)
		}
	case []any:
		for _, one := range v {
			last = lastTime(one, last)
		}
	}
	return last
}

// repository returns the root of this repository.
func repository(t *testing.T) string {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "catalogs", "packs")); e == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("the tests do not run inside the repository")
	return ""
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

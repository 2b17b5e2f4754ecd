// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	policies "github.com/tristate/tristate/examples/operator"
	"github.com/tristate/tristate/examples/toolpolicy"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/proof/plane"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestMain(m *testing.M) { plane.Main(m) }

// entry is one of the operators.
type entry struct {
	name, group string
	files       []string // written by hand for it
	start       func(config *rest.Config, o ctrl.Options) (manager.Runnable, error)
}

// managed is an operator that is not Tristate's.
func managed(add func(ctrl.Manager) error) func(*rest.Config, ctrl.Options) (manager.Runnable, error) {
	return func(config *rest.Config, o ctrl.Options) (manager.Runnable, error) {
		o.Controller.UsePriorityQueue = new(false) // as operator.NewHost
		m, err := ctrl.NewManager(config, o)
		if err != nil {
			return nil, err
		}
		return m, add(m)
	}
}

var entries = []entry{
	{"Tristate", "example.dev", []string{"../../../examples/toolpolicy/catalog.yaml", "../../../examples/toolpolicy/toolpolicy.go", "../../../examples/operator/policy.go"},
		func(config *rest.Config, o ctrl.Options) (manager.Runnable, error) {
			return operator.New(config, operator.Options{Name: "policy_operator", Account: "policy-operator", Domain: "example.dev",
				Registry: prometheus.NewRegistry(), Manager: o}, toolpolicy.AddToScheme, policies.Setup(known))
		}},
	{"apimachinery", "plain.example.dev", []string{"plain.go", "gather.go"}, managed(func(m ctrl.Manager) error {
		if err := scheme("plain.example.dev", &Policy{}, &PolicyList{})(m.GetScheme()); err != nil {
			return err
		}
		return setup(m, "plain", &Policy{}, &plain{m.GetClient()})
	})},
	{"Cluster API", "capi.example.dev", []string{"capi.go", "gather.go"}, managed(func(m ctrl.Manager) error {
		if err := scheme("capi.example.dev", &Policy{}, &PolicyList{})(m.GetScheme()); err != nil {
			return err
		}
		return setup(m, "capi", &Policy{}, &capi{m.GetClient()})
	})},
	{"Knative", "knative.example.dev", []string{"knative.go", "gather.go"}, managed(func(m ctrl.Manager) error {
		if err := scheme("knative.example.dev", &knativePolicy{}, &knativePolicyList{})(m.GetScheme()); err != nil {
			return err
		}
		return setup(m, "knative", &knativePolicy{}, &knative{m.GetClient()})
	})},
	{"operatorpkg", "operatorpkg.example.dev", []string{"operatorpkg.go", "gather.go"}, managed(func(m ctrl.Manager) error {
		if err := scheme("operatorpkg.example.dev", &operatorpkgPolicy{}, &operatorpkgPolicyList{})(m.GetScheme()); err != nil {
			return err
		}
		return setup(m, "operatorpkg", &operatorpkgPolicy{}, &operatorpkg{m.GetClient()})
	})},
}

// page has the table.
const page = "../../../docs/compared.md"

// TestCompared runs the five operators through the same troubles, and compares the table of the page with what came out, but for the words after
// a no. UPDATE=1 writes it.
func TestCompared(t *testing.T) {
	config := plane.ForTest(t)
	ctrl.SetLogger(logr.Discard())
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), open)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	results := make([]map[string]string, len(entries))
	for i, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			s := begin(t, config, e)
			results[i] = map[string]string{}
			for _, trouble := range troubles {
				s.fails = os.Getenv("UPDATE") == "1" || failing(have, trouble.name, i)
				problem := trouble.run(s)
				results[i][trouble.name] = problem
				t.Logf("%s: %s; so far %d requests", trouble.name, problem, s.wire.asked())
			}
		})
	}
	if t.Failed() {
		return
	}
	var b strings.Builder
	fmt.Fprintln(&b, "| |"+columns(func(e entry, _ int) string { return e.name }))
	fmt.Fprintln(&b, "|---|"+columns(func(entry, int) string { return "---" }))
	for _, trouble := range troubles {
		fmt.Fprintln(&b, "| "+trouble.name+" |"+columns(func(_ entry, i int) string {
			if p := results[i][trouble.name]; p != "" {
				return "**no**: " + p
			}
			return "yes"
		}))
	}
	fmt.Fprintln(&b, "| lines by hand |"+columns(func(e entry, _ int) string { return fmt.Sprint(lines(t, e.files)) }))
	if os.Getenv("UPDATE") == "1" {
		if err := os.WriteFile(page, []byte(before+open+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	reasons := regexp.MustCompile(`\*\*no\*\*: [^|]*`)
	if diff := cmp.Diff(reasons.ReplaceAllString(have, "no "), reasons.ReplaceAllString(b.String(), "no ")); diff != "" {
		t.Errorf("%s: -have +want\n%s\nUPDATE=1 writes it", page, diff)
	}
}

// The table is between these lines.
const open, end = "<!-- table -->\n", "<!-- end -->\n"

// failing reports whether the table of the page says no.
func failing(table, trouble string, column int) bool {
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > column+2 && strings.TrimSpace(cells[1]) == trouble {
			return strings.Contains(cells[column+2], "**no**")
		}
	}
	return false
}

func columns(cell func(entry, int) string) string {
	var out []string
	for i, e := range entries {
		out = append(out, " "+cell(e, i)+" |")
	}
	return strings.Join(out, "")
}

// lines counts lines that are neither empty nor comments.
func lines(t *testing.T, files []string) int {
	t.Helper()
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#") {
				n++
			}
		}
	}
	return n
}

// begin installs the kind of an operator, and runs it.
func begin(t *testing.T, config *rest.Config, e entry) *stage {
	t.Helper()
	text, err := os.ReadFile("../../../examples/toolpolicy/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definition := strings.ReplaceAll(string(text), "example.dev", e.group)
	if e.name == "Knative" { // its conditions have other fields, and not always a reason and a message
		definition = strings.ReplaceAll(definition, "required: [lastTransitionTime, message, reason, status, type]", "required: [status, type]\n"+
			"                  x-kubernetes-preserve-unknown-fields: true")
		definition = strings.Replace(definition, "profile: {", "observedGeneration: {type: integer}\n              profile: {", 1)
	}
	file := t.TempDir() + "/crd.yaml"
	if err := os.WriteFile(file, []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{file}, MaxTime: 5 * time.Minute, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	s := newStage(t, config, e, plane.Namespace(t, config))
	s.launch()
	return s
}

// launch runs the operator, until halt or the end of the test.
func (s *stage) launch() {
	s.Helper()
	types := runtime.NewScheme()
	s.must(clientgoscheme.AddToScheme(types))
	o := ctrl.Options{Scheme: types, Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}},
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}}
	m, err := s.entry.start(s.wire.through(s.config), o)
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	var once bool
	s.halt = func() {
		if once {
			return
		}
		once = true
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	}
	s.Cleanup(s.halt)
}

// patience bounds every wait.
const patience = 5 * time.Minute

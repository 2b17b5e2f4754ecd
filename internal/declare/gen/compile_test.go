// SPDX-License-Identifier: Apache-2.0

package gen_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/gen"
	"github.com/tristate/tristate/systems"
)

// build compiles packages of this module with some files that exist only for the compiler, and returns the first error of each file.
func build(t *testing.T, files map[string]string, packages ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, content := range files {
		on := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(on, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, name)] = on
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return complaints(t, root, files, append([]string{"build", "-overlay", overlay, "-gcflags=-e"}, packages...)...)
}

// complaints runs a go command and returns the first error of each file.
func complaints(t *testing.T, dir string, files map[string]string, command ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", command...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	errs := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(?:vet: )?([^\s:]+\.go):\d+:\d+: (.*)$`).FindAllStringSubmatch(string(out), -1) {
		name := filepath.ToSlash(m[1])
		for file := range files {
			if strings.HasSuffix(name, filepath.Base(file)) || strings.HasSuffix(name, strings.ReplaceAll(file, "/", "-")) {
				name = file
			}
		}
		if errs[name] == "" {
			errs[name] = m[2]
		}
	}
	if len(errs) == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return errs
}

// TestWrongDoesNotCompile: what the catalog does not declare is an error of the compiler.
func TestWrongDoesNotCompile(t *testing.T) {
	tests := map[string]struct{ statement, want string }{
		"right":                          {`p.Compiled.SpecInvalid("why %d", 1); p.Enforced.RouterEnforcing(); p.Degraded.Absent()`, ""},
		"a reason of another type":       {`p.Compiled.RouterOutdated()`, "RouterOutdated undefined"},
		"an unknown reason":              {`p.Compiled.Nonsense()`, "Nonsense undefined"},
		"an unknown type":                {`p.Healthy.SpecInvalid("")`, "p.Healthy undefined"},
		"a computed type":                {`p.Ready.InForce()`, "p.Ready undefined"},
		"a status of one's own":          {`p.Compiled.SpecInvalid(conditions.True, "")`, "cannot use conditions.True"},
		"no message":                     {`p.Compiled.SpecInvalid()`, "not enough arguments"},
		"a cell by its names":            {`p.Report(TypeCompiled, conditions.True, ReasonSpecInvalid, "")`, "p.Report undefined"},
		"a cell as a value":              {`p.Compiled.Because(CompiledSpecInvalid, "why")`, ""},
		"a cell of another type":         {`p.Compiled.Because(EnforcedRouterOutdated, "why")`, "cannot use EnforcedRouterOutdated"},
		"a message where none belongs":   {`p.Enforced.RouterEnforcing("why")`, "too many arguments"},
		"a message that is not a string": {`p.Compiled.SpecInvalid(errors.New(""))`, "cannot use errors.New"},
	}
	files, at := map[string]string{}, map[string]string{}
	for name, test := range tests {
		at[name] = fmt.Sprintf("examples/toolpolicy/zz_%s.go", strings.ReplaceAll(strings.ReplaceAll(name, " ", "_"), "'", ""))
		files[at[name]] = fmt.Sprintf("package toolpolicy\n\nimport (\n\t\"errors\"\n\t\"github.com/tristate/tristate/conditions\"\n)\n\n"+
			"func _(p *Pass) {\n\t_, _ = errors.New, conditions.True\n\t%s\n}\n", test.statement)
	}
	errs := build(t, files, "./examples/toolpolicy")
	for name, test := range tests {
		got := errs[at[name]]
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: the compiler says %q, want %q", name, got, test.want)
		}
	}
}

// TestWrongFormat: vet knows the calls that format a message, of conditions and of facts, for what they are.
func TestWrongFormat(t *testing.T) {
	tests := map[string]struct{ statement, want string }{
		"right": {`p.Broken("%d of %s", 1, "two"); p.Commit3(); p.Type2(); p.AB.AB("%v", err); p.AB.Because(ABAB, "%q", "x")`,
			""},
		"a fact":                    {`p.Broken("%d", "two")`, ".Pass).Broken format %d has arg \"two\" of wrong type string"},
		"a fact without its value":  {`p.Broken("%d of %s", 1)`, ".Pass).Broken format %s reads arg #2, but call has 1 arg"},
		"a condition":               {`p.AB.AB("%d", "x")`, ".ABCondition).AB format %d has arg \"x\" of wrong type string"},
		"a cell as a value":         {`p.AB.Because(ABAB, "%d", "x")`, ".ABCondition).Because format %d has arg \"x\" of wrong type string"},
		"a message with no format":  {`p.Broken(err.Error())`, "non-constant format string in call to"},
		"a text behind the message": {`p.Broken("broken", err)`, ".Pass).Broken call has arguments but no formatting directives"},
	}
	kind := load(t, "testdata/everything.yaml").Kinds()[0]
	source, err := gen.Go(kind, "everything", "everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files, at := map[string]string{"zz_everything.go": string(source)}, map[string]string{}
	for name, test := range tests {
		at[name] = fmt.Sprintf("zz_%s.go", strings.ReplaceAll(name, " ", "_"))
		files[at[name]] = fmt.Sprintf("package everything\n\nfunc _(p *Pass, err error) {\n\t%s\n}\n", test.statement)
	}
	dir, err := os.MkdirTemp("testdata", "vet") // vet wants files that are there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	errs := complaints(t, dir, files, "vet", "-printf", ".")
	for name, test := range tests {
		if got := errs[at[name]]; (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: vet says %q, want %q", name, got, test.want)
		}
	}
}

// everything returns the kinds of all catalogs that we ship, and one that uses every key that matters to generated code.
func everything(t *testing.T) []*catalog.Kind {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	return append(set.Kinds(), load(t, "testdata/everything.yaml").Kinds()...)
}

// TestEverythingCompiles: the Go of every catalog compiles.
func TestEverythingCompiles(t *testing.T) {
	files, packages := map[string]string{}, []string{}
	for i, k := range everything(t) {
		if len(k.Declaration.Types) == 0 {
			continue
		}
		source, err := gen.Go(k, "", "catalog.yaml")
		if err != nil {
			t.Error(err)
			continue
		}
		dir := fmt.Sprintf("examples/generated%d", i)
		files[dir+fmt.Sprintf("/zz_%d.go", i)] = string(source)
		packages = append(packages, "./"+dir)
	}
	t.Logf("%d packages", len(packages))
	for file, err := range build(t, files, packages...) {
		t.Errorf("%s: %s", file, err)
	}
}

// TestRustCompiles: the Rust of every catalog compiles, where there is a compiler.
func TestRustCompiles(t *testing.T) {
	rustc, err := exec.LookPath("rustc")
	if err != nil {
		t.Skip("rustc is not installed")
	}
	var b strings.Builder
	dir := t.TempDir()
	for i, k := range everything(t) {
		if len(k.Declaration.Types) == 0 {
			continue
		}
		name := fmt.Sprintf("kind%d", i)
		if err := os.WriteFile(filepath.Join(dir, name+".rs"), gen.Rust(k, "catalog.yaml"), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "pub mod %s;\n", name)
	}
	if err := os.WriteFile(filepath.Join(dir, "lib.rs"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(rustc, "--edition=2021", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "--out-dir", dir,
		filepath.Join(dir, "lib.rs")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFrom: the generated merge of other objects' conditions has the options of the catalog; the program is that of the guide.
func TestFrom(t *testing.T) {
	kind := load(t, "testdata/stack/catalog.yaml").Kinds()[0]
	source, err := gen.Go(kind, "main", "catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	generated, overlay := filepath.Join(dir, "zz.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(generated, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(
		map[string]any{"Replace": map[string]string{filepath.Join(root, "internal/declare/gen/testdata/stack/zz_generated.go"): generated}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-overlay", overlay, "./internal/declare/gen/testdata/stack")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := `Ready=False MinimumReplicasUnavailable: DeploymentsAvailable(MinimumReplicasUnavailable): 2 of 3 completed: Available(MinimumReplicasUnavailable): 1 of 3 replicas [mail]
DeploymentsAvailable=False MinimumReplicasUnavailable: 2 of 3 completed: Available(MinimumReplicasUnavailable): 1 of 3 replicas [mail]
Ready=True Healthy: 
DeploymentsAvailable=True Healthy: 
`
	if got := string(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

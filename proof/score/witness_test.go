// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"github.com/ulikunitz/xz"
)

// sample is one object as it was at one moment of a stage.
type sample struct {
	stage, file string
	object      map[string]any
}

func (s *sample) name() string {
	return fmt.Sprintf("%s %v/%v", s.file, s.object["kind"], nested.At(s.object, "metadata", "name"))
}

// itemsOf reads the objects of a list.
func itemsOf(t testing.TB, file string, r io.Reader) []sample {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	_, list, err := score.Decode(data, time.Now())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var out []sample
	items, _ := list["items"].([]any)
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			out = append(out, sample{stage: strings.Split(file, "-")[0], file: file, object: object})
		}
	}
	return out
}

// witness is the folder of objects that were read from real systems; tests that need it are skipped if it is absent.
func witness(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "witness")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("skipped: 5,938 samples of 13 files of real systems, which are not beside the repository")
	}
	return dir
}

// timeline reads all samples of the Cluster API stages.
func timeline(t testing.TB) []sample {
	t.Helper()
	f, err := os.Open(filepath.Join(witness(t), "cluster-api-timeline.tar.xz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := xz.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for files := tar.NewReader(unpacked); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(header.Name, ".json") {
			out = append(out, itemsOf(t, filepath.Base(header.Name), files)...)
		}
	}
}

// truth reports whether an object of Cluster API is what it should be; known is false for kinds whose truth is not defined. A
// Cluster, KubeadmControlPlane or MachineDeployment is where Available is True, nothing is under way, all machines are ready and up to
// date, and the conditions are of this generation; a MachineSet where its machines are and none is missing; a Machine where it is
// available; a DevMachine and a KubeadmConfig where they are ready; a DevCluster where it is provisioned.
func truth(o map[string]any) (current, known bool) {
	status := func(conditionType string) string {
		list, _ := nested.At(o, "status", "conditions").([]any)
		for _, c := range list {
			if nested.At(c, "type") == conditionType {
				s, _ := nested.At(c, "status").(string)
				return s
			}
		}
		return ""
	}
	switch o["kind"] {
	case "Cluster", "KubeadmControlPlane", "MachineDeployment":
		list, _ := nested.At(o, "status", "conditions").([]any)
		for _, c := range list {
			name, _ := nested.At(c, "type").(string)
			is := nested.At(c, "status")
			switch {
			case strings.HasSuffix(name, "MachinesReady"), strings.HasSuffix(name, "UpToDate"):
				current = is == "True"
			case name == "RollingOut", name == "ScalingUp", name == "ScalingDown", name == "Remediating", name == "Paused":
				current = is != "True"
			default:
				current = true
			}
			if seen, ok := nested.At(c, "observedGeneration").(int64); ok && seen != nested.At(o, "metadata", "generation") {
				current = false
			}
			if !current {
				return false, true
			}
		}
		return status("Available") == "True", true
	case "MachineSet":
		want := nested.At(o, "spec", "replicas")
		have := func(field string) any {
			if n, ok := nested.At(o, "status", field).(int64); ok {
				return n
			}
			return int64(0)
		}
		return status("MachinesReady") == "True" && status("MachinesUpToDate") == "True" &&
			have("availableReplicas") == want && have("replicas") == want, true
	case "Machine":
		return status("Available") == "True", true
	case "DevMachine", "KubeadmConfig":
		return status("Ready") == "True", true
	case "DevCluster":
		return nested.At(o, "status", "initialization", "provisioned") == true, true
	}
	return false, false
}

// paused reports whether an object is held on purpose: Suspended is right for it, too.
func paused(o map[string]any) bool {
	list, _ := nested.At(o, "status", "conditions").([]any)
	for _, c := range list {
		if nested.At(c, "type") == "Paused" && nested.At(c, "status") == "True" {
			return true
		}
	}
	return false
}

// broken reports whether something that Failed may speak of happened in the stage: a machine was taken away, a topology is not reconciled.
func (s *sample) broken() bool {
	switch s.stage {
	case "broken":
		return true
	case "topo":
		list, _ := nested.At(s.object, "status", "conditions").([]any)
		for _, c := range list {
			if (nested.At(c, "type") == "TopologyReconciled" || nested.At(c, "reason") == "ProbeFailed") && nested.At(c, "status") == "False" {
				return true
			}
		}
	}
	return false
}

// embedded reads the catalogs that are shipped.
func embedded(t testing.TB) *catalog.Set {
	t.Helper()
	files := map[string][]byte{}
	names, err := fs.Glob(systems.Catalogs, "*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if files[name], err = systems.Catalogs.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	set, err := catalog.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestTimeline judges each object of a Cluster API installation every four seconds, while a cluster is made, a machine of it is taken
// away, and another cluster's topology is not reconciled. It is judged long after it was recorded, so that nothing is new any more.
func TestTimeline(t *testing.T) {
	samples := timeline(t)
	for name, tc := range map[string]struct {
		engine score.Judge
		most   float64 // percent of samples that may be wrong
	}{
		"kstatus":                 {kstatus.Engine{}, 100},
		"conventions alone":       {new(verdict.Engine), mostWrongByConventions},
		"rule packs":              {pack.Default(), mostWrongByConventions},
		"catalogs and rule packs": {pack.Default(embedded(t)), mostWrong},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
			judged, green, failed, late := 0, 0, 0, 0
			shown := map[string]int{}
			for i := range samples {
				s := &samples[i]
				current, known := truth(s.object)
				if !known {
					continue
				}
				judged++
				v := tc.engine.Judge(s.object, now)
				what := ""
				switch {
				case v.Status == verdict.Current && !current:
					green++
					what = "not Current"
				case v.Status == verdict.Failed && !s.broken(), v.Status == verdict.Degraded && s.stage == "prov":
					failed++
					what = "not broken"
				case v.Status != verdict.Current && current && !(v.Status == verdict.Suspended && paused(s.object)) &&
					!(v.Status == verdict.Terminating && nested.At(s.object, "metadata", "deletionTimestamp") != nil):
					late++
					what = "Current"
				default:
					continue
				}
				key := fmt.Sprintf("%v %s %s %s %s", s.object["kind"], what, v.Status, v.Rule, v.Reason)
				if shown[key]++; shown[key] == 1 {
					t.Logf("%s is %s, got %s by %s: %s: %s", s.name(), what, v.Status, v.Rule, v.Reason, v.Message)
				}
			}
			wrong := green + failed + late
			t.Logf("%d samples: %d wrong: %d called Current, %d called Failed with nothing wrong, %d not called Current", judged, wrong, green,
				failed, late)
			for key, n := range shown {
				t.Logf("%4d %s", n, key)
			}
			if tc.engine == score.Judge(kstatus.Engine{}) {
				return
			}
			if failed > 0 || float64(wrong) > tc.most/100*float64(judged) {
				t.Errorf("want none called Failed with nothing wrong, and at most %g %% wrong", tc.most)
			}
		})
	}
}

const (
	mostWrong              = 0.5
	mostWrongByConventions = 0.5
)

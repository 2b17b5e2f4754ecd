// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/score"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// upstreamTime is the time at which the objects of TestUpstream are judged: some weeks after their creation.
var upstreamTime = time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)

// rightUpstream is how many of the objects of TestUpstream are judged right, which may only rise.
const rightUpstream = 66

// TestUpstream judges objects with the words that the sources of their operators write, each with the verdicts that are right for it in an
// annotation: those that a comparison of the packs with those sources found wrong.
func TestUpstream(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "packs", "*.yaml"))
	if len(files) == 0 {
		t.Skip("the objects are not beside the repository")
	}
	own, _ := shipped(t)
	e := pack.Default(own)
	right := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, object, err := score.Decode(data, upstreamTime)
		if err != nil {
			t.Fatal(err)
		}
		expected, _, _ := unstructured.NestedString(object, "metadata", "annotations", "expected.example/verdict")
		want := strings.Split(expected, ",")
		v := e.Judge(object, upstreamTime)
		if slices.Contains(want, string(v.Status)) {
			right++
			continue
		}
		t.Logf("%s: want %s, got %s by %s: %s: %s", filepath.Base(file), strings.Join(want, " or "), v.Status, v.Rule, v.Reason, v.Message)
	}
	t.Logf("%d of %d right", right, len(files))
	if right < rightUpstream {
		t.Errorf("want at least %d right", rightUpstream)
	}
}

// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	upstream "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tristate/tristate/verdict"
)

// answer is the result of either engine; Panic is set where upstream panicked.
type answer struct {
	Status, Message, Condition, Reason, ConditionMessage, Error string
	Panic                                                       bool
}

func theirs(obj map[string]any) (a answer) {
	defer func() {
		if recover() != nil {
			a = answer{Panic: true}
		}
	}()
	res, err := upstream.Compute(&unstructured.Unstructured{Object: obj})
	if err != nil {
		return answer{Error: err.Error()}
	}
	a = answer{Status: string(res.Status), Message: res.Message}
	for _, c := range res.Conditions {
		a.Condition, a.Reason, a.ConditionMessage = string(c.Type), c.Reason, c.Message
	}
	return a
}

func ours(obj map[string]any, now time.Time) answer {
	res, err := verdict.Kstatus(obj, now)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Status: string(res.Status), Message: res.Message, Condition: res.Condition, Reason: res.Reason,
		ConditionMessage: res.ConditionMessage}
}

func compare(t *testing.T, obj map[string]any) (panicked bool) {
	t.Helper()
	want := theirs(obj)
	got := ours(obj, time.Now())
	if want.Panic {
		if got.Error == "" {
			t.Errorf("upstream panics, ours gives %+v instead of an error", got)
		}
		return true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		raw, _ := json.Marshal(obj)
		t.Errorf("upstream (-) and ours (+) differ:\n%s\n%s", diff, raw)
	}
	return false
}

var seed = flag.Int64("seed", 1, "seed of the random objects")

func TestEqualsUpstream(t *testing.T) {
	n := 50_000
	if os.Getenv("TRISTATE_ORACLE") == "long" {
		n = 3_000_000
	}
	r := rand.New(rand.NewSource(*seed))
	seen := map[string]int{}
	panics := 0
	for range n {
		obj := draw(r)
		if compare(t, obj) {
			panics++
		}
		a := ours(obj, time.Now())
		if a.Error != "" {
			a.Status = "error"
		}
		seen[a.Status]++
		if t.Failed() {
			t.Fatal("stopped at the first difference")
		}
	}
	t.Logf("%d objects, %v, upstream panicked %d times", n, fmt.Sprint(seen), panics)
	for _, s := range []string{"Current", "InProgress", "Failed", "Terminating", "error"} {
		if seen[s] < n/200 {
			t.Errorf("want at least %d objects with answer %s, got %d", n/200, s, seen[s])
		}
	}
}

func FuzzEqualsUpstream(f *testing.F) {
	for seed := range int64(50) {
		raw, err := json.Marshal(draw(rand.New(rand.NewSource(seed))))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		var obj map[string]any
		if d.Decode(&obj) != nil || obj == nil {
			return
		}
		obj, _ = whole(obj).(map[string]any)
		compare(t, obj)
	})
}

// whole turns numbers into int64, or float64 where they are not whole, as the API machinery decodes them.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = whole(x)
		}
	case []any:
		for i, x := range v {
			v[i] = whole(x)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

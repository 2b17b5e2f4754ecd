// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hostile are texts of which many are no type, no reason or no message.
func hostile(random *rand.Rand) string {
	texts := []string{"", "A", "Ready", "a-b", "-a", "a.", "x.example.dev/Ready", "x..y/Ready", "/Ready", "x/", "a/b/c", "Ünicode",
		"with space", "with\nline", "a,b", "a,",
		"a:", "1st", "_a", "a_", strings.Repeat("r", 63), strings.Repeat("r", 64), strings.Repeat("r", 1024), strings.Repeat("r", 1025),
		strings.Repeat("d.", 126) + "e/" + strings.Repeat("t", 63), strings.Repeat("ü", 20000), strings.Repeat("x", 32768),
		strings.Repeat("x", 32769),
		strings.Repeat("€", 32768), "\xff\xfe", "ab\xc3", "\x00", "</script>", strings.Repeat("d", 260) + "/T"}
	return texts[random.IntN(len(texts))]
}

// TestLiveNothingRefused: whatever is declared and reported, no commit comes to anything that the API server refuses.
func TestLiveNothingRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	client := s.client(t, &tally{})
	random := rand.New(rand.NewPCG(1, 2))
	statuses := []conditions.Status{conditions.True, conditions.False, conditions.Unknown, "", "true", "Perhaps"}
	written := 0
	for i := range 120 {
		k := &conditions.Kind{Group: "example.dev", Kind: "Thing"}
		for len(k.Types) < 5 {
			declared := conditions.Type{Name: hostile(random), Presence: []conditions.Presence{conditions.PresenceAlways,
				conditions.PresenceWhenTrue,
				conditions.PresenceWhenKnown}[random.IntN(3)],
				Polarity: []conditions.Polarity{conditions.Positive, conditions.Negative, conditions.Neutral}[random.IntN(3)]}
			for range random.IntN(4) {
				declared.Reasons = append(declared.Reasons, conditions.Reason{Name: hostile(random), Status: statuses[random.IntN(len(statuses))]})
			}
			k.Types = append(k.Types, declared)
		}
		k.Types = append(k.Types, conditions.Type{Name: "Top", Role: conditions.RoleSummary, Imported: true, Summary: &conditions.Summary{}})
		object := s.create(t, client, "Thing", fmt.Sprintf("hostile-%d", i))
		p := k.Begin(int64(random.IntN(4)-1), nil, []time.Time{start, {}, time.Unix(-1<<40, 0), time.Unix(1<<40, 0)}[random.IntN(4)])
		for range 8 {
			name := k.Types[random.IntN(len(k.Types))].Name
			if random.IntN(4) == 0 {
				p.ReportCondition(conditions.Condition{Severity: "Odd",
					Condition: metav1.Condition{Type: name, Status: statuses[random.IntN(len(statuses))],
						Reason: hostile(random), Message: hostile(random), ObservedGeneration: -5}})
			} else {
				p.Report(name, statuses[random.IntN(len(statuses))], hostile(random), hostile(random))
			}
		}
		result := p.Commit()
		written += len(result.Owned())
		w := &apply.Writer{Client: client, Manager: "ours"}
		if _, err := w.Apply(t.Context(), s.target("Thing", k), object, result, nil); err != nil {
			t.Errorf("case %d: %.2000s\n%.2000q", i, err, fmt.Sprint(result.Owned()))
		}
	}
	if written < 120 {
		t.Errorf("only %d conditions were written", written)
	}
}

// TestLiveValidate: Validate and the API server agree on what a condition is, value by value.
func TestLiveValidate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	client := s.client(t, &tally{})
	random := rand.New(rand.NewPCG(3, 4))
	object := s.create(t, client, "Thing", "validate")
	resource := client.Resource(s.target("Thing", nil).Resource).Namespace(s.namespace)
	good := conditions.Condition{Condition: metav1.Condition{Type: "Ready", Status: conditions.True, Reason: "Fine",
		LastTransitionTime: metav1.Time{Time: start}}}
	accepted, refused := 0, 0
	for range 150 {
		c := good
		switch random.IntN(6) {
		case 0:
			c.Type = hostile(random)
		case 1:
			c.Reason = hostile(random)
		case 2:
			c.Message = strings.ToValidUTF8(hostile(random), "?") // JSON has no other
		case 3:
			c.ObservedGeneration = int64(random.IntN(3) - 1)
		case 4:
			c.Status = conditions.Status(hostile(random))
		case 5:
			c.LastTransitionTime = []metav1.Time{{}, {Time: start}}[random.IntN(2)]
		}
		c.Type, c.Reason = strings.ToValidUTF8(c.Type, "?"), strings.ToValidUTF8(c.Reason, "?")
		sent := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.dev/v1", "kind": "Thing",
			"metadata": map[string]any{"name": object.GetName(), "namespace": s.namespace},
			"status":   map[string]any{"conditions": []any{wire.ToUnstructured(c, conditions.DialectCore)}}}}
		_, err := resource.ApplyStatus(t.Context(), object.GetName(), sent, metav1.ApplyOptions{FieldManager: "judge", Force: true,
			DryRun: []string{metav1.DryRunAll}})
		if err != nil && !apierrors.IsInvalid(err) && !apierrors.IsInternalError(err) {
			t.Fatal(err)
		}
		ours := wire.Validate(&c, conditions.DialectCore)
		// Validate is stricter in one thing, as apimachinery's own validation is: the length of the name behind the slash.
		name := c.Type[strings.LastIndexByte(c.Type, '/')+1:]
		if (err == nil) != (len(ours) == 0) && !(err == nil && len(name) > wire.MaxTypeNameBytes) {
			t.Errorf("the API server says %.200v, Validate says %v of %.200q", err, ours, fmt.Sprint(c))
		}
		if err == nil {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 20 || refused < 20 {
		t.Errorf("%d accepted and %d refused are no sample", accepted, refused)
	}
}

// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/wait"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubectl/pkg/polymorphichelpers"
)

// scenes is how many roll-outs are compared.
const scenes = 200

func expressions(t *testing.T, texts ...string) (out []wait.Expression) {
	t.Helper()
	for _, text := range texts {
		e, err := wait.ParseExpression(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestRollouts(t *testing.T) {
	files, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	engine, test := pack.Default(set), wait.Test{For: expressions(t, "verdict"), Fail: expressions(t, wait.Failures()...), FailedFor: -1}
	r := rand.New(rand.NewPCG(1, 2))
	compared, failed, done := 0, 0, 0
	for n := range scenes {
		s := draw(r, n)
		viewer, err := polymorphichelpers.StatusViewerFor(schema.GroupKind{Group: "apps", Kind: s.states[0]["kind"].(string)})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		m := wait.New(wait.Goal{}, now)
		web := m.Named("web")
		for at, content := range s.states {
			v := engine.Judge(content, now)
			facts, _, err := test.Facts(wait.Subject{Content: content, Existed: true, Now: now,
				Judgement: relation.JudgementOf(v)})
			if err != nil {
				t.Fatal(err)
			}
			m.Observe(web, "web", facts, now)
			m.Loaded(web, wait.Served, "", now)
			ours := m.Decide(now).Outcome
			text, ended, theirs := viewer.Status(&unstructured.Unstructured{Object: content}, 0)
			compared++
			bad := ""
			switch {
			case theirs != nil:
				failed++
				if ours != wait.Broken {
					bad = "kubectl fails, the wait has not"
				}
			case ours == wait.Reached && !ended:
				bad = "the wait is met, kubectl is not done"
			case ours == wait.Broken && ended:
				bad = "the wait has failed, kubectl is done"
			case ended:
				done++
				if ours != wait.Reached && !s.paused {
					bad = "kubectl is done, the wait is not met"
				}
			}
			if bad != "" {
				t.Errorf("%s, state %d: %s\nwait: %s (%s %s: %s)\nkubectl: %s%v\nstatus: %v", s.name, at, bad, ours, v.Status, v.Reason, v.Message,
					text, theirs, content["status"])
			}
		}
	}
	t.Logf("%d roll-outs with %d statuses: kubectl fails at %d and is done at %d", scenes, compared, failed, done)
	if failed < scenes/10 || done < scenes/10 {
		t.Error("the scenes show too few ends")
	}
}

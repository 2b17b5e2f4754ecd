// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// FuzzJudge: no object makes an engine panic or is changed by it, and the order of its lists changes no answer.
func FuzzJudge(f *testing.F) {
	for _, obj := range []any{custom(10), deployment(), pod()} {
		raw, err := json.Marshal(obj)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, s := range []string{
		`{}`, `[]`, `{"a":1}x`, `{"a":01}`, `{"a":-}`, `{"a":1e999}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`,
		`{"status":{"phase":"Failed","phase":"Ready"}}`,
		`{"metadata":{"managedFields":[{"a":1}]},"status":"Failed"}`, `{"status":{"conditions":{"Ready":{"status":"False"}}}}`,
		`{"kind":"Pod","status":{"phase":"Running","containerStatuses":[{"name":"\u0061","state":{"waiting":{"reason":"ErrImagePull"}}}]}}`,
		`{"status":{"a":{"b":{"ready":false,"readyX":1,"desiredX":2,"error":{"message":"x"}},"healthy":"False"},"failedX":[1],"xStatus":{"a":"Failed","b":"Up"}}}`,
		`{"spec":{"enabled":false},"status":{"type":"Ready","status":"False","lastXResult":"failed: x","x":[[{"stateX":"Failed"}]],"lastGeneration":1}}`,
		`{"state":"failed"}`, `{"status":{"kopf":{"progress":{"a":{"failure":true},"b":{"message":"x"}}},"notReady":2,"message":"cannot"}}`,
		`{"kind":"Set","status":{"conditions":[{"type":"Ready","status":"False","message":"Can't: only 1, 1/3, 1 of 3, not up"},{"type":"Failed"},{"type":"NoUnableStarted","status":"Degraded","reason":"na"}]}}`,
		`{"kind":"OpsRequest","status":{"conditions":[{"type":"Running","status":"True"},{"type":"Done","status":"True"},{"type":"PartiallyDegraded","status":"True","reason":"FailingOver"},{"type":"A","status":"Unknown","message":"stopped"}]}}`,
		`{"metadata":{"generation":9223372036854775807},"status":{"observedGeneration":9223372036854775808}}`,
	} {
		f.Add([]byte(s))
	}
	e, g := new(verdict.Engine), &verdict.Engine{Generic: true}
	f.Fuzz(func(t *testing.T, raw []byte) {
		obj, ok := decode(raw)
		if !ok {
			return
		}
		for _, engine := range []*verdict.Engine{e, g} {
			v := engine.Judge(obj, now)
			if again, _ := decode(raw); !cmp.Equal(obj, again) {
				t.Fatal("the object was changed")
			}
			if w, _ := engine.Explain(obj, now); !cmp.Equal(flat(v), flat(w)) {
				t.Fatalf("an explanation comes to another answer (+):\n%s", cmp.Diff(flat(v), flat(w)))
			}
			other, _ := decode(raw)
			w := engine.Judge(reversed(other).(map[string]any), now)
			if diff := cmp.Diff(flat(v), flat(w)); diff != "" {
				t.Fatalf("another order of lists (+) changes the answer:\n%s", diff)
			}
		}
	})
}

type answer struct {
	Status                       verdict.Status
	Ready                        bool
	Type                         string
	Condition                    conditions.Status
	Severity                     conditions.Severity
	Reason, Message, Rule, Since string
	Evidence                     []verdict.Evidence
	Contradictions               []string
}

func flat(v verdict.Verdict) answer {
	evidence := v.Evidence
	for i := range evidence {
		switch evidence[i].Value.(type) {
		case []any, map[string]any:
			evidence[i].Value = "..." // a whole list, as evidence, is in another order
		}
	}
	return answer{v.Status, v.Ready, v.Type, v.Condition, v.Severity, v.Reason, v.Message, v.Rule, v.Since.String(),
		evidence, v.Contradictions}
}

// reversed turns the order of all lists around.
func reversed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			v[key] = reversed(x)
		}
	case []any:
		for i, x := range v {
			v[i] = reversed(x)
		}
		slices.Reverse(v)
	}
	return v
}

// judgeRaw judges an object that is written as JSON.
func judgeRaw(e *verdict.Engine, raw []byte, now time.Time) verdict.Verdict {
	obj, ok := decode(raw)
	if !ok {
		panic("no object: " + string(raw))
	}
	return e.Judge(obj, now)
}

// decode decodes like the API machinery: int64 for a whole number that fits, else float64.
func decode(raw []byte) (map[string]any, bool) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var obj map[string]any
	if !json.Valid(raw) || d.Decode(&obj) != nil || obj == nil {
		return nil, false
	}
	out, ok := whole(obj)
	m, _ := out.(map[string]any)
	return m, ok
}

func whole(v any) (any, bool) {
	ok := true
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			y, good := whole(x)
			v[k], ok = y, ok && good
		}
	case []any:
		for i, x := range v {
			y, good := whole(x)
			v[i], ok = y, ok && good
		}
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			if i, err := v.Int64(); err == nil {
				return i, true
			}
		}
		f, err := v.Float64()
		return f, err == nil
	}
	return v, ok
}

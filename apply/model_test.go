// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// model is two controllers with one configuration, and so one manager, over one object. Each judges the world when it makes a pass, over a
// copy of the object that may be old.
type model struct {
	t       *testing.T
	server  *server
	kind    *conditions.Kind
	target  apply.Target
	writer  *apply.Writer
	fine    bool // the fact that both judge
	now     time.Time
	cached  [2]*unstructured.Unstructured
	actions []string
	broken  string // the first rule that was broken
}

// The steps of a schedule. A pass whose answer is lost has been written. Within a pass the other controller may make one, before the
// request arrives.
var steps = map[string]func(*model){
	"flip":      func(m *model) { m.fine = !m.fine },
	"refresh 0": func(m *model) { m.refresh(0) },
	"refresh 1": func(m *model) { m.refresh(1) },
	"pass 0":    func(m *model) { m.pass(0, nil, false) },
	"pass 1":    func(m *model) { m.pass(1, nil, false) },
	"lost 0":    func(m *model) { m.pass(0, nil, true) },
	"lost 1":    func(m *model) { m.pass(1, nil, true) },
	"within 0":  func(m *model) { m.pass(0, func() { m.pass(1, nil, false) }, false) },
	"within 1":  func(m *model) { m.pass(1, func() { m.pass(0, nil, false) }, false) },
}

func newModel(t *testing.T, listMap bool) *model {
	k := kind("Ready", "Told")
	m := &model{t: t, server: newServer(), kind: k, target: target(k, listMap), now: start, fine: true}
	m.writer = m.server.writer(t)
	m.writer.Shared, m.writer.Now = true, func() time.Time { return m.now }
	m.refresh(0)
	m.refresh(1)
	return m
}

// refresh brings a controller's copy up to date.
func (m *model) refresh(i int) {
	object := m.server.object()
	object["status"] = map[string]any{"conditions": m.server.list()}
	m.cached[i] = &unstructured.Unstructured{Object: object}
}

// pass judges the world over the copy of a controller, and writes.
func (m *model) pass(i int, meanwhile func(), lost bool) {
	list, _, _ := unstructured.NestedSlice(m.cached[i].Object, "status", "conditions")
	p := m.kind.Begin(1, decoded(list), m.now)
	status := map[bool]conditions.Status{true: conditions.True, false: conditions.False}[m.fine]
	p.Report("Ready", status, reasons[status], "")
	p.Report("Told", conditions.True, reasons[conditions.True], "")
	result := p.Commit()
	m.server.answer = func(int) *metav1.Status {
		m.server.answer = nil
		if meanwhile != nil {
			m.server.mu.Unlock()
			meanwhile()
			m.server.mu.Lock()
		}
		return nil
	}
	out, err := m.writer.Apply(m.t.Context(), m.target, m.cached[i], result, nil)
	m.server.answer = nil
	if err == nil && !lost && out.Object != nil {
		m.cached[i] = out.Object // as if it had been watched
	}
}

// decoded returns the conditions of a list as it is stored.
func decoded(list []any) []conditions.Condition {
	out, _ := wire.FromUnstructured(list) // the model stores no others
	return out
}

// step does one step and holds the stored conditions to the rules: a time moves with its status only, and never back.
func (m *model) step(name string) {
	before := decoded(m.server.list())
	m.actions = append(m.actions, name)
	m.now = m.now.Add(time.Second)
	steps[name](m)
	for _, one := range decoded(m.server.list()) {
		i := conditions.Find(before, one.Type)
		if i < 0 {
			continue
		}
		was, is := before[i].LastTransitionTime.Time, one.LastTransitionTime.Time
		switch {
		case before[i].Status == one.Status && !was.Equal(is):
			m.fail("the time of %s moves from %v to %v without its status", one.Type, was.Sub(start), is.Sub(start))
		case is.Before(was):
			m.fail("the time of %s goes back from %v to %v", one.Type, was.Sub(start), is.Sub(start))
		}
	}
}

// settle lets both read and judge until nothing is left to do, and holds the end to the world.
func (m *model) settle() {
	for range 2 {
		for i := range 2 {
			m.now = m.now.Add(time.Second)
			m.refresh(i)
			m.pass(i, nil, false)
		}
	}
	writes := m.server.writes
	for i := range 2 {
		m.refresh(i)
		m.pass(i, nil, false)
	}
	if m.server.writes != writes {
		m.fail("%d writes after everything has settled", m.server.writes-writes)
	}
	list := decoded(m.server.list())
	i := conditions.Find(list, "Ready")
	if want := map[bool]conditions.Status{true: conditions.True, false: conditions.False}[m.fine]; i < 0 || list[i].Status != want {
		m.fail("Ready is %v in the end, want %s", show(list), want)
	}
}

func (m *model) fail(format string, args ...any) {
	if m.broken == "" {
		m.broken = fmt.Sprintf(format, args...) + "\nafter " + strings.Join(m.actions, ", ")
	}
}

// branch returns a copy of the model whose server and copies are its own.
func (m *model) branch() *model {
	b := *m
	s := &server{status: maps.Clone(m.server.status), version: m.server.version, generation: 1, uid: m.server.uid,
		applied: maps.Clone(m.server.applied), writes: m.server.writes}
	s.status["conditions"] = m.server.list()
	b.server, b.writer = s, s.writer(m.t)
	b.writer.Shared, b.writer.Now = true, func() time.Time { return b.now }
	b.actions = slices.Clone(m.actions)
	return &b
}

// explore plays every schedule of a length, and returns how many there were and the first rule that one broke.
func (m *model) explore(length int) (schedules int, broken string) {
	if length == 0 {
		m.settle()
		return 1, m.broken
	}
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		b := m.branch()
		if b.step(name); b.broken != "" {
			return schedules + 1, b.broken
		}
		n, broken := b.explore(length - 1)
		if schedules += n; broken != "" {
			return schedules, broken
		}
	}
	return schedules, ""
}

// TestTwoControllers plays every order of two controllers with one configuration, lost answers and old copies included: a time moves with
// its status only, never back, and in the end the stored status is the world's. TRISTATE_SCHEDULE_LENGTH=7 plays ten million orders.
func TestTwoControllers(t *testing.T) {
	length, err := strconv.Atoi(os.Getenv("TRISTATE_SCHEDULE_LENGTH"))
	if err != nil {
		length = 3
	}
	for _, listMap := range []bool{true, false} {
		t.Run(fmt.Sprintf("map=%v", listMap), func(t *testing.T) {
			n, broken := newModel(t, listMap).explore(length)
			if t.Logf("%d schedules", n); broken != "" {
				t.Error(broken)
			}
		})
	}
}

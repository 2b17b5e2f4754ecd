// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
)

// late is after every time in a corpus except those that are in the future on purpose.
var late = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// timed returns the objects of all corpora, those beside the repository only where they are.
func timed(t *testing.T) []score.Row {
	packs, conventions, _ := own(t)
	all := append(packs, conventions...)
	for _, dir := range []string{"testdata/holdout", "testdata/unseen", "../../../shared/corpus"} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		rows, err := score.Read(filepath.FromSlash(dir), []string{"argocd-lua", "argocd-builtin", "kstatus-tests"}, late)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// TestNewestTime: an object alone in a dump, which is judged as of its newest time, has no time in the future, and neither the beginning of
// its verdict nor the beginning of its progress is later.
func TestNewestTime(t *testing.T) {
	engine := pack.Default(embedded(t))
	for _, row := range timed(t) {
		newest := verdict.Newest(row.Object, late)
		if newest.IsZero() {
			continue
		}
		v := engine.Judge(row.Object, newest)
		if engine.Judge(row.Object, late).Reason == "TimeInFuture" {
			continue
		}
		if v.Reason == "TimeInFuture" {
			t.Errorf("%s: its newest time is %s, and %s", row.ID, newest, v.Message)
		}
		if v.Since.After(newest) {
			t.Errorf("%s: its newest time is %s, and it is %s since %s", row.ID, newest, v.Status, v.Since)
		}
		if begun := v.Due.Add(-v.Budget); !v.Due.IsZero() && begun.After(newest) {
			t.Errorf("%s: its newest time is %s, and its progress began at %s", row.ID, newest, begun)
		}
	}
}

// TestFormsOfTimes: times with fractions of a second, as Strimzi writes them, and those of another zone are the same times to a verdict.
func TestFormsOfTimes(t *testing.T) {
	engine := pack.Default(embedded(t))
	forms := map[string]func(time.Time) string{
		"fractions": func(at time.Time) string { return at.Add(925578714).UTC().Format(time.RFC3339Nano) },
		"zone":      func(at time.Time) string { return at.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339) },
	}
	for _, row := range timed(t) {
		newest := verdict.Newest(row.Object, late)
		if newest.IsZero() {
			continue
		}
		now := newest.Add(30 * time.Second)
		want := engine.Judge(row.Object, now)
		for name, form := range forms {
			object, _ := rewritten(row.Object, form).(map[string]any)
			got := engine.Judge(object, now)
			if got.Status != want.Status || got.Reason != want.Reason || got.Ready != want.Ready {
				t.Errorf("%s, %s: want %s %s, got %s %s", row.ID, name, want.Status, want.Reason, got.Status, got.Reason)
			}
			if got.Since.Sub(want.Since).Abs() >= time.Second || got.Due.Sub(want.Due).Abs() >= time.Second {
				t.Errorf("%s, %s: want since %s, due %s, got %s, %s", row.ID, name, want.Since, want.Due, got.Since, got.Due)
			}
		}
	}
}

// rewritten returns a value with all its times in another form.
func rewritten(value any, form func(time.Time) string) any {
	switch value := value.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			return form(at)
		}
	case map[string]any:
		out := maps.Clone(value)
		for k, v := range out {
			out[k] = rewritten(v, form)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = rewritten(v, form)
		}
		return out
	}
	return value
}

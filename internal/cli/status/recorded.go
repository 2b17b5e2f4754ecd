// SPDX-License-Identifier: Apache-2.0

package status

import (
	"time"

	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/read/history"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/verdict"
)

// remember reads for --since which objects the history of this machine saw unhealthy within that time, so that one that has recovered is
// shown, too. Without a history there are none.
func (v *Status) remember() error {
	if v.since == 0 || len(v.Files) > 0 {
		return nil
	}
	config, _, err := v.Config()
	if err != nil {
		return err
	}
	now := v.App.Now()
	store := history.Open((&feed.Options{History: v.history}).Folder(config.Host), history.Options{ReadOnly: true, Now: v.App.Now})
	v.recorded = troubled(store, now.Add(-v.since))
	return nil
}

// troubled returns the objects whose verdict changed to or from one of an unhealthy object at a moment or later.
func troubled(store *history.Store, from time.Time) map[relation.ID]bool {
	out := map[relation.ID]bool{}
	store.Scan(func(r history.Record) bool {
		if r.Kind == history.Verdict && !r.At.Before(from) && r.Source != history.First && (bad(r.Is) || bad(r.Was)) {
			out[r.Object] = true
		}
		return true
	})
	return out
}

// bad reports whether a recorded verdict is one of an unhealthy object; an empty one is none.
func bad(word string) bool {
	return word != "" && !relation.Judgement{Verdict: verdict.Status(word)}.Fine()
}

// SPDX-License-Identifier: Apache-2.0

package play

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/proof/story"
)

// page shows the objects of stories in the browser, on the clock of their worlds.
type page struct {
	source *rows.Source
	now    atomic.Int64 // nanoseconds
}

// usualPace is how long each state of a story is shown.
const usualPace = 2 * time.Second

// showPage serves the page of a player. The function that it returns waits until the command is interrupted.
func showPage(ctx context.Context, a *app.App, p *Player, o *options) (wait func(), err error) {
	p.Pace = cmp.Or(p.Pace, usualPace)
	shown := &page{}
	shown.now.Store(story.Epoch.UnixNano())
	clock := func() time.Time { return time.Unix(0, shown.now.Load()).UTC() }
	fleet := rows.New(clock)
	shown.source = fleet.Add(rows.Options{Graph: relation.New(p.Catalogs), Clock: clock,
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(p.Catalogs), p.Catalogs, clock()) },
		Store: history.Open("", history.Options{Now: clock})})
	shown.source.Sync(nil)
	p.page = shown
	ended := make(chan error, 1)
	go func() {
		ended <- feed.Serve(ctx, a, fleet, feed.Page{Address: o.address, Mode: "story", Title: "stories"})
	}()
	select {
	case err := <-ended:
		return nil, err
	case <-time.After(100 * time.Millisecond): // the address is printed before the first tree
	}
	return func() { <-ended }, nil
}

// observe passes the objects of a world on: none when a story begins, and those that there are after each settle.
func (p *page) observe(ctx context.Context, e story.Event) {
	if e.Index == 0 && !e.Done {
		p.source.Sync(nil)
		p.now.Store(e.World.Now().UnixNano())
	}
	if _, settled := e.Step.Command.(story.Settle); !settled || !e.Done || e.Err != nil {
		return
	}
	list, err := e.World.List(ctx)
	if err != nil {
		return
	}
	objects := make([]*relation.Object, len(list))
	for i, content := range list {
		objects[i] = relation.FromContent(content)
	}
	p.now.Store(e.World.Now().UnixNano())
	p.source.Sync(objects)
}

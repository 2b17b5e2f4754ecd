// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"context"
	"fmt"

	"github.com/tristate/tristate/internal/judge"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/internal/story"
)

// tree is what `tristate tree` shows, without ages.
func tree(ctx context.Context, w story.World, id relation.ID) (string, error) {
	objects, err := w.List(ctx)
	if err != nil {
		return "", err
	}
	g := relation.New(w.Catalogs())
	for _, o := range objects {
		g.Put(relation.FromContent(o))
	}
	root := relation.Build(g, id, judge.New(w.Catalogs(), w.Now()))
	if root == nil {
		return "", fmt.Errorf("%s does not exist", id)
	}
	return render.Plain(root), nil
}

// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	page "github.com/tristate/tristate/internal/cli/page"
	"github.com/tristate/tristate/internal/cli/server"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
)

// Options are the flags about the history, and what of the objects is kept.
type Options struct {
	History string // a folder; none: in memory
	MaxSize int    // of one cluster, in MiB
	MaxAge  time.Duration

	Light         bool // see rows.Options
	Shard, Shards int
}

// Add adds the flags about the history.
func (o *Options) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.History, "history", "", "folder in which the history is kept, or none to keep it in memory (default: "+
		"tristate/history in the user's cache folder)")
	flags.IntVar(&o.MaxSize, "history-size", history.DefaultBytes>>20, "most that the history of one cluster may take on disk, in MiB")
	flags.DurationVar(&o.MaxAge, "history-age", history.DefaultAge, "how long the history is kept")
}

// AddSource adds the flags that choose what is read.
func AddSource(c *cobra.Command, v *view.View) {
	v.Catalogs.Add(c.Flags())
	v.Connection.Add(c.Flags())
	v.AddTrust(c.Flags())
	c.Flags().StringSliceVarP(&v.Files, "filename", "f", nil, "read objects from files, directories, - or example:shop instead of a cluster")
	c.PreRunE = func(_ *cobra.Command, _ []string) error {
		if v.Namespace == "" {
			v.AllNamespaces = true // a page is about everything
		}
		return nil
	}
	v.Complete(c, v.App, &v.Files, nil)
}

// none is the word for no folder.
const none = "none"

// Folder returns the folder of the history of a cluster, by the address of its server; empty for memory.
func (o *Options) Folder(server string) string {
	if o.History == none {
		return ""
	}
	root := o.History
	if root == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "" // without a home it is in memory
		}
		root = filepath.Join(cache, "tristate", "history")
	}
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(root, hex.EncodeToString(sum[:8]))
}

func (o *Options) open(server string, a *app.App) *history.Store {
	folder := ""
	if server != "" {
		folder = o.Folder(server)
	}
	store := history.Open(folder, history.Options{MaxBytes: int64(o.MaxSize) << 20, MaxAge: o.MaxAge, Now: a.Now})
	if stats := store.Stats(); stats.Problem != "" {
		a.Reportf("warning: the history is kept in memory only: %s", stats.Problem)
	}
	return store
}

// Clusters adds a source for each context of a view, and follows it until the context ends. A cluster that does not answer is a source that
// has failed.
func Clusters(ctx context.Context, fleet *rows.Fleet, v *view.View, o Options) error {
	contexts := v.Contexts
	if len(contexts) == 0 {
		contexts = []string{v.Context}
	}
	for _, name := range contexts {
		one := v.In(v.App, name)
		shown := name
		if len(contexts) == 1 {
			shown = ""
		}
		config, _, err := one.Config()
		if err != nil {
			return err
		}
		if err := one.Open(ctx, []cluster.Query{{Type: "all"}}); err != nil {
			return err
		}
		followed := catalogs(one)
		graph := relation.NewPacked(one.Set)
		source := fleet.Add(rows.Options{Name: shown, Server: config.Host, Graph: graph, Judge: one.Judge, Cluster: one.Cluster,
			Catalogs: followed,
			Types: func(context.Context) []cluster.Query {
				types, failed := view.TypesOf(one.Cluster, graph.Set())
				for _, err := range failed {
					one.Cluster.Warn(err.Error())
				}
				return types
			}, Light: o.Light, Store: o.open(config.Host, v.App), Shard: o.Shard, Shards: o.Shards})
		if unreachable := one.Cluster.Answers(ctx); unreachable != nil {
			if len(contexts) == 1 {
				return unreachable
			}
			source.Fail(unreachable)
		}
		go func() {
			source.Follow(ctx)
			if source.Store != nil {
				source.Store.Close()
			}
		}()
	}
	return nil
}

// catalogs follows the catalogs of the cluster of a view; nil where they are left out.
func catalogs(v *view.View) *rows.Catalogs {
	if !v.InCluster() {
		return nil
	}
	v.Reload()
	return &rows.Catalogs{Type: view.CatalogType, Take: v.TakeCatalog, Load: v.Reload}
}

// Files adds a source with the objects of the files of a view. It has no history: nothing changes.
func Files(ctx context.Context, fleet *rows.Fleet, v *view.View) error {
	ids, err := v.ReadFiles(ctx, nil)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return cmp.Or(v.App.Unreadable(), exit.With(exit.NotFound, errors.New("the files hold no objects")))
	}
	source := fleet.Add(rows.Options{Graph: v.Walk.Graph, Judge: v.Judge, Clock: v.App.Now})
	source.Take(ids)
	return nil
}

// Page are the options of [Serve].
type Page struct {
	Address     string
	Hosts       []string
	Open        bool
	Token       string // empty: a random one
	Mode, Title string
}

// Serve serves a fleet to whoever has the address that is printed, until the context ends.
func Serve(ctx context.Context, a *app.App, fleet *rows.Fleet, o Page) error {
	token, err := server.Secret(cmp.Or(o.Token, server.NewToken()))
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--ui-token: %w", err))
	}
	listener, err := server.Listen(o.Address, false)
	if err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(o.Address)
	handler := server.New(server.Options{Fleet: fleet, Auth: token, Version: a.Version, Mode: o.Mode, Title: o.Title,
		Page: page.Files(), Hosts: append(o.Hosts, host), Now: a.Now})
	address := "http://" + listener.Addr().String() + "/?token=" + url.QueryEscape(string(token))
	if _, err := fmt.Fprintln(a.Out, address); err != nil {
		return err
	}
	a.Reportf("open this address in a browser; Ctrl-C ends it")
	if o.Open {
		if err := browse(ctx, address); err != nil {
			a.Reportf("warning: no browser could be opened: %v", err)
		}
	}
	return server.Run(ctx, listener, handler)
}

// browse opens an address in the browser of the user.
func browse(ctx context.Context, address string) error {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(ctx, command[0], append(command[1:], address)...).Start()
}

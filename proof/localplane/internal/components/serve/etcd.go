// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/tristate/tristate/proof/localplane/internal/components"
	"github.com/tristate/tristate/proof/localplane/internal/folder"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// runEtcd serves a single-member etcd from the working directory, which is the data folder, until SIGINT or SIGTERM.
// An ephemeral one never waits for the disk, and removes the working directory when it is orphaned.
func runEtcd(args []string) error {
	flags := flag.NewFlagSet(supervisor.Etcd, flag.ContinueOnError)
	ephemeral := flags.Bool("ephemeral", false, "the data need not survive")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if *ephemeral {
		components.WatchLifeline(func() { discard(dir) })
	} else {
		components.WatchLifeline(nil)
	}

	client, peer := socket(folder.EtcdSocket), socket(folder.EtcdPeerSocket)
	cfg := embed.NewConfig()
	cfg.Name = "localplane"
	cfg.Dir = folder.EtcdData
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.UnsafeNoFsync = *ephemeral
	cfg.EnableGRPCGateway = false
	cfg.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // 0 logs every request
	cfg.Logger = "zap"
	cfg.LogLevel = "warn"
	cfg.LogOutputs = []string{"stderr"}

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)

	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	select {
	case <-stop:
	case err = <-server.Err():
	case <-server.Server.StopNotify():
		err = fmt.Errorf("the server stopped by itself")
	}
	server.Close()
	return err
}

// discard removes the data folder and ends this process: nothing in it is worth an orderly end, which may last longer than
// orphans are given.
func discard(dir string) {
	// Again, in case etcd made a file in the meantime.
	for range 10 {
		if os.RemoveAll(dir) == nil {
			os.Exit(0)
		}
	}
	os.Exit(1)
}

// socket returns the address of a socket in the working directory.
func socket(name string) url.URL { return url.URL{Scheme: "unix", Host: name} }

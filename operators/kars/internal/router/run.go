// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Exit codes of kars-router.
const (
	ExitFine   = 0
	ExitUsage  = 2
	ExitFailed = 3
)

// Run is the program kars-router; it ends with the context.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("kars-router", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", "/etc/kars", "folder with the artifacts")
	listen := flags.String("listen", ":8443", "address for the operator and the runtime")
	proxy := flags.String("proxy", "127.0.0.1:3128", "address of the proxy of the runtime")
	memory := flags.String("memory", "", "URL of the memory stores")
	inference := flags.String("inference", "", "URL of the models")
	push := flags.String("push", "", "URL that the status is pushed to when it changes")
	reload := flags.Duration("reload", 5*time.Second, "time between looks at the artifacts")
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	urls := map[string]*url.URL{"memory": nil, "inference": nil}
	for name, text := range map[string]string{"memory": *memory, "inference": *inference} {
		if text == "" {
			continue
		}
		at, err := url.Parse(text)
		if err != nil || at.Host == "" {
			fmt.Fprintf(stderr, "kars-router: --%s is not a URL\n", name)
			return ExitUsage
		}
		urls[name] = at
	}
	token := func() string {
		body, err := os.ReadFile(filepath.Join(*root, "token", "token"))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(body))
	}
	state := NewState(*root, time.Now)
	pushes := make(chan struct{}, 1)
	changed := func() {
		select {
		case pushes <- struct{}{}:
		default: // one is on its way
		}
	}
	server := &Server{State: state, Token: token, Memory: urls["memory"], Inference: urls["inference"], Changed: changed}
	state.Load()
	changed()
	if *push != "" {
		go pushing(ctx, *push, token, state, pushes)
	}
	go func() {
		tick := time.NewTicker(*reload)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if state.Load() {
					changed()
				}
			}
		}
	}()
	if err := serve(ctx, stdout, []port{{*listen, server.Handler()}, {*proxy, server.Proxy()}}); err != nil {
		fmt.Fprintln(stderr, "kars-router:", err)
		return ExitFailed
	}
	return ExitFine
}

// port is an address and what is served there.
type port struct {
	address string
	handler http.Handler
}

// serve listens on all ports, prints their addresses, and serves until the context ends.
func serve(ctx context.Context, stdout io.Writer, ports []port) error {
	ended := make(chan error, len(ports))
	var servers []*http.Server
	for _, p := range ports {
		listener, err := net.Listen("tcp", p.address)
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, "listening on", listener.Addr())
		s := &http.Server{Handler: p.handler, ReadHeaderTimeout: 10 * time.Second}
		servers = append(servers, s)
		go func() { ended <- s.Serve(listener) }()
	}
	select {
	case <-ctx.Done():
	case err := <-ended:
		return err
	}
	for _, s := range servers {
		s.Close()
	}
	return nil
}

// pushing sends the status each time that it changed; the operator pulls it as well, so that a failure is not repeated.
func pushing(ctx context.Context, to string, token func() string, state *State, changes <-chan struct{}) {
	client := &http.Client{Timeout: 5 * time.Second}
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		if err := pushOnce(ctx, client, to, token(), state.Status()); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "kars-router: the status was not pushed:", err)
		}
	}
}

func pushOnce(ctx context.Context, client *http.Client, to, token string, status []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(status))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode != http.StatusNoContent {
		return errors.New(response.Status)
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tristate/tristate/operator/program"
)

// Run is the program kars-router; it ends with the context.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := program.New("kars-router", stderr)
	root := p.String("root", "/etc/kars", "folder with the artifacts")
	listen := p.String("listen", ":8443", "address for the operator and evaluations")
	agent := p.String("agent", ":8080", "address of models and memory, for the agent")
	proxy := p.String("proxy", ":3128", "address of the proxy of the agent")
	memory := p.String("memory", "", "URL of the memory stores")
	inference := p.String("inference", "", "URL of the models")
	push := p.String("push", "", "URL that the status is pushed to when it changes")
	reload := p.Duration("reload", 5*time.Second, "time between looks at the artifacts")
	return p.Run(args, func() error {
		stores, err := parse("memory", *memory)
		if err != nil {
			return err
		}
		models, err := parse("inference", *inference)
		if err != nil {
			return err
		}
		server := &Server{State: NewState(*root, time.Now), Token: func() string { return token(*root, "token") },
			Agent: func() string { return token(*root, "agent-token") }, Memory: stores, Inference: models}
		pushes := make(chan struct{}, 1)
		server.Changed = func() {
			select {
			case pushes <- struct{}{}:
			default: // one is on its way
			}
		}
		server.State.Load()
		server.Changed()
		if *push != "" {
			go pushing(ctx, *push, server, pushes)
		}
		go reloading(ctx, *reload, server)
		return serve(ctx, stdout, []port{{*listen, server.Handler()}, {*agent, server.AgentHandler()}, {*proxy, server.Proxy()}})
	})
}

// parse returns the URL of a flag; nil: the flag is not set.
func parse(flag, text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	at, err := url.Parse(text)
	if err != nil || at.Host == "" {
		return nil, program.Usage(fmt.Errorf("--%s is not a URL", flag))
	}
	return at, nil
}

// token reads a token that callers present; empty: there is none.
func token(root, folder string) string {
	body, err := os.ReadFile(filepath.Join(root, folder, "token"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}

// reloading loads the artifacts anew, again and again.
func reloading(ctx context.Context, every time.Duration, server *Server) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if server.State.Load() {
				server.Changed()
			}
		}
	}
}

// port is an address and the handler that is served there.
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
func pushing(ctx context.Context, to string, server *Server, changes <-chan struct{}) {
	client := &http.Client{Timeout: 5 * time.Second}
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		if err := pushOnce(ctx, client, to, server.Token(), server.State.Status()); err != nil && ctx.Err() == nil {
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

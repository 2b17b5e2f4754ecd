// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/tristate/tristate/proof/localplane/internal/folder"
	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

const (
	pollInterval   = 50 * time.Millisecond
	requestTimeout = 5 * time.Second
)

// How long components may take to stop when the data is kept. Their memory holds nothing to save: kube-apiserver and
// kube-controller-manager only get the time to finish running requests, not to wait for the watches of their clients.
const (
	etcdGrace      = 10 * time.Second
	apiServerGrace = time.Second
	managerGrace   = time.Second
)

// plane starts the components one after the other, each when the one it needs answers.
type plane struct {
	has         map[string]*launch // by component
	data        *folder.Folder
	group       *supervisor.Group
	credentials *folder.Credentials
	server      string
	nodes       int
}

// start returns when the API server is ready, namespace default exists, the controllers, if any, work and the nodes are ready. It
// owns the listener.
func (p *plane) start(ctx context.Context, listener *net.TCPListener) error {
	port := listener.Addr().(*net.TCPAddr).Port
	socket, err := listener.File()
	if err = errors.Join(err, listener.Close()); err != nil {
		return err
	}
	defer socket.Close()
	if err := p.data.SetPort(port); err != nil {
		return err
	}
	managerConfig := folder.RenderKubeconfig(p.server, p.credentials.CA, p.credentials.ManagerToken)
	if err := folder.WriteKubeconfig(p.data.Join(folder.ControllerManagerKubeconfig), managerConfig); err != nil {
		return err
	}
	client, err := p.client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()

	if err := p.run(supervisor.Etcd, p.etcdFlags(), etcdGrace, nil); err != nil {
		return err
	}
	if p.has[supervisor.APIServer].program != "" { // it opens the port itself
		_ = socket.Close()
		socket = nil
	}
	if err := p.run(supervisor.APIServer, apiServerFlags(port), apiServerGrace, socket); err != nil {
		return err
	}
	// Only the API server may hold the socket: without it, connections are to be refused.
	_ = socket.Close()
	if err := p.wait(ctx, client, "/readyz"); err != nil {
		return err
	}
	if err := p.wait(ctx, client, "/api/v1/namespaces/default"); err != nil {
		return err
	}
	if p.has[supervisor.ControllerManager] == nil {
		return nil
	}
	if err := p.run(supervisor.ControllerManager, controllerManagerFlags(), managerGrace, nil); err != nil {
		return err
	}
	// The service account is made by one of the controllers, in a namespace made by the API server.
	if err := p.wait(ctx, client, "/api/v1/namespaces/default/serviceaccounts/default"); err != nil {
		return err
	}
	if p.nodes == 0 {
		return nil
	}
	return p.startNodes(ctx, client)
}

// run starts a component. One whose data is thrown away gets no time to stop.
func (p *plane) run(name string, flags []string, grace time.Duration, extra *os.File) error {
	if p.data.Ephemeral {
		grace = 0
	}
	return p.group.Start(supervisor.Child{Name: name, Path: p.has[name].program, Flags: flags, Log: p.data.Log(name), Grace: grace,
		Extra: extra})
}

// wait polls a path as administrator until it answers with 200.
func (p *plane) wait(ctx context.Context, client *http.Client, path string) error {
	return p.poll(ctx, "GET "+path, func() error { return p.request(ctx, client, http.MethodGet, path, nil, nil) })
}

// poll tries until try succeeds; it fails when the context ends or a component does.
func (p *plane) poll(ctx context.Context, what string, try func() error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	last := errors.New("no answer yet")
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s: %w", context.Cause(ctx), what, last)
		case err := <-p.group.Failed():
			return err
		case <-tick.C:
		}
		if last = try(); last == nil {
			return nil
		}
	}
}

// request sends body as administrator, if there is one, and decodes the answer into result, if that is not nil.
func (p *plane) request(ctx context.Context, client *http.Client, method, path string, body, result any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, p.server+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.credentials.AdminToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return &statusError{resp.StatusCode, resp.Status}
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(result)
}

// statusError is an answer with a code that is not 2xx.
type statusError struct {
	code   int
	status string
}

func (e *statusError) Error() string { return e.status }

func (p *plane) client() (*http.Client, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(p.credentials.CA) {
		return nil, fmt.Errorf("no certificate in %s", p.data.Join(folder.CAFile))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	return &http.Client{Transport: transport, Timeout: requestTimeout}, nil
}

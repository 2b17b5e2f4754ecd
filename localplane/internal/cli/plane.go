// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/tristate/tristate/localplane/internal/folder"
	"github.com/tristate/tristate/localplane/internal/supervisor"
)

const (
	pollInterval   = 50 * time.Millisecond
	requestTimeout = 5 * time.Second
)

// How long components may take to stop when the data is kept. What they hold in memory is of no value: kube-apiserver and
// kube-controller-manager only get the time to finish running requests, not to wait for the watches of their clients.
const (
	etcdGrace      = 10 * time.Second
	apiServerGrace = time.Second
	managerGrace   = time.Second
)

// plane starts the components one after the other, each when the one it needs answers.
type plane struct {
	data        *folder.Folder
	group       *supervisor.Group
	credentials *folder.Credentials
	server      string
}

// start returns when the API server is ready, namespace default exists and the controllers work. It owns the listener.
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

	if err := p.run(supervisor.Etcd, etcdFlags(p.data.Ephemeral), etcdGrace, nil); err != nil {
		return err
	}
	if err := p.run(supervisor.APIServer, apiServerFlags(port), apiServerGrace, socket); err != nil {
		return err
	}
	// Only the API server may hold the socket: without it, connections are to be refused.
	_ = socket.Close()
	if err := p.wait(ctx, client, "/readyz"); err != nil {
		return err
	}
	if err := p.run(supervisor.ControllerManager, controllerManagerFlags(), managerGrace, nil); err != nil {
		return err
	}
	// The service account is made by one of the controllers, in a namespace made by the API server.
	return p.wait(ctx, client, "/api/v1/namespaces/default/serviceaccounts/default")
}

// run starts a component. One whose data is thrown away gets no time to stop.
func (p *plane) run(name string, flags []string, grace time.Duration, extra *os.File) error {
	if p.data.Ephemeral {
		grace = 0
	}
	return p.group.Start(supervisor.Child{Name: name, Flags: flags, Log: p.data.Log(name), Grace: grace, Extra: extra})
}

// wait polls a path as administrator until it answers with 200.
func (p *plane) wait(ctx context.Context, client *http.Client, path string) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	last := errors.New("no answer yet")
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: GET %s: %w", context.Cause(ctx), path, last)
		case err := <-p.group.Failed():
			return err
		case <-tick.C:
		}
		if last = p.get(ctx, client, path); last == nil {
			return nil
		}
	}
}

func (p *plane) get(ctx context.Context, client *http.Client, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.server+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.credentials.AdminToken)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

func (p *plane) client() (*http.Client, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(p.credentials.CA) {
		return nil, fmt.Errorf("no certificate in %s", p.data.Join(folder.CAFile))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	return &http.Client{Transport: transport, Timeout: requestTimeout}, nil
}

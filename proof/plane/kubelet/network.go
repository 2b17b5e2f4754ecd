// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// route returns the proxy: NAME.NAMESPACE.svc.cluster.local is a pod of that namespace which listens on the port.
func (k *Kubelet) route() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port, err := net.SplitHostPort(r.URL.Host)
		labels := strings.Split(host, ".")
		number, bad := strconv.Atoi(port)
		if err != nil || bad != nil || len(labels) < 3 || labels[2] != "svc" {
			http.Error(w, "no Service of the cluster", http.StatusBadGateway)
			return
		}
		address := k.address(labels[1], number)
		if address == "" {
			http.Error(w, "no pod listens", http.StatusBadGateway)
			return
		}
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(&url.URL{Scheme: "http", Host: address})
		}}).ServeHTTP(w, r)
	})
}

// address returns where a pod of a namespace listens; empty: nowhere.
func (k *Kubelet) address(namespace string, port int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, p := range k.running {
		if key.Namespace == namespace {
			if a := p.address(port); a != "" {
				return a
			}
		}
	}
	return ""
}

// Address returns where a pod of a namespace that has a port listens on this machine, as another container of it would reach it; empty:
// nowhere.
func (k *Kubelet) Address(namespace string, port int) string { return k.address(namespace, port) }

// Kill ends the processes of a namespace's pods, as a crash would, and starts them again.
func (k *Kubelet) Kill(namespace string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, p := range k.running {
		if key.Namespace == namespace {
			p.stop()
			p.started = false
			p.ports = map[int]string{}
			k.queue.Add(key)
		}
	}
}

// serveLogs answers the API server: GET /containerLogs/NAMESPACE/POD/CONTAINER, once the container has ended.
func (k *Kubelet) serveLogs() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		p := k.running[types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("pod")}]
		k.mu.Unlock()
		if p == nil {
			http.Error(w, "no such pod", http.StatusNotFound)
			return
		}
		p.mu.Lock()
		programs := p.programs
		p.mu.Unlock()
		for _, one := range programs {
			if one.container != r.PathValue("container") {
				continue
			}
			select {
			case <-one.ended:
				w.Write(one.output.Bytes())
			case <-r.Context().Done():
			}
			return
		}
		http.Error(w, "the container has not started", http.StatusNotFound)
	})
	return mux
}

// serveNodes makes the API server read logs from here.
func (k *Kubelet) serveNodes(ctx context.Context) error {
	address, err := url.Parse(k.logs.URL)
	if err != nil {
		return err
	}
	nodes, err := k.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		patch := fmt.Sprintf(`{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":%s}}}}`, address.Port())
		if _, err := k.client.CoreV1().Nodes().Patch(ctx, node.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{},
			"status"); err != nil {
			return err
		}
	}
	return nil
}

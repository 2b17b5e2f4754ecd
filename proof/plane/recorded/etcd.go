// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// etcd is the etcd of a control plane of this machine.
type etcd struct{ client *http.Client }

// open returns the etcd of the control plane whose kubeconfig is in its data folder.
func open(kubeconfig string) *etcd {
	socket := filepath.Join(filepath.Dir(kubeconfig), "etcd.sock:0")
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	return &etcd{&http.Client{Transport: &http.Transport{Protocols: &only, DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}}
}

// put stores a value: the call Put of the service etcdserverpb.KV, whose request has the key in field 1 and the value in field 2.
func (e *etcd) put(ctx context.Context, key string, value []byte) error {
	var message []byte
	message = protowire.AppendTag(message, 1, protowire.BytesType)
	message = protowire.AppendString(message, key)
	message = protowire.AppendTag(message, 2, protowire.BytesType)
	message = protowire.AppendBytes(message, value)
	frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...) // not compressed
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd/etcdserverpb.KV/Put", bytes.NewReader(frame))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("TE", "trailers")
	response, err := e.client.Do(request)
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	status, text := response.Trailer.Get("Grpc-Status"), response.Trailer.Get("Grpc-Message")
	if status == "" { // an error without a body
		status, text = response.Header.Get("Grpc-Status"), response.Header.Get("Grpc-Message")
	}
	if status != "0" {
		return fmt.Errorf("put %s: status %q of gRPC: %s", key, status, text)
	}
	return nil
}

// plain are the groups whose resources the API server stores without the group.
var plain = map[string]bool{"": true, "apps": true, "batch": true, "networking.k8s.io": true}

// keyOf is where the API server stores an object.
func keyOf(o *unstructured.Unstructured, gvr schema.GroupVersionResource) string {
	key := "/registry/"
	switch {
	case gvr.Group == "" && gvr.Resource == "services":
		key += "services/specs"
	case plain[gvr.Group]:
		key += gvr.Resource
	default:
		key += gvr.Group + "/" + gvr.Resource
	}
	if o.GetNamespace() != "" {
		key += "/" + o.GetNamespace()
	}
	return key + "/" + o.GetName()
}

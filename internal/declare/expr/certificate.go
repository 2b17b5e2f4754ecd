// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
)

// certificate returns what the first certificate of a Secret of type kubernetes.io/tls says: the DNS names that it is for, from when and
// until when it is valid, and keyed, whether tls.key is not the key of another one. It is empty where none can be read.
func certificate(secret map[string]any) map[string]any {
	read := func(key string) []byte {
		data, _ := base64.StdEncoding.DecodeString(nested.Text(secret, "data", key)) // empty if it is invalid
		return data
	}
	block, _ := pem.Decode(read("tls.crt"))
	if block == nil {
		return map[string]any{}
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return map[string]any{}
	}
	names := []any{}
	for _, name := range c.DNSNames {
		names = append(names, name)
	}
	_, err = tls.X509KeyPair(read("tls.crt"), read("tls.key"))
	return map[string]any{"names": names, "since": c.NotBefore, "until": c.NotAfter,
		"keyed": err == nil || !strings.Contains(err.Error(), "does not match")}
}

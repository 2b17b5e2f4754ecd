// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
)

// certificate returns what the certificates of a Secret of type kubernetes.io/tls say: the DNS names that the first is for, from when it is
// valid, until when it and those of its issuers that come with it are, and which of these ends first, keyed, whether tls.key is not the
// key of another one, and issued, whether the issuer of the first is among the others, if there are any. It is empty where none can be
// read.
func certificate(secret map[string]any) map[string]any {
	read := func(key string) []byte {
		data, _ := base64.StdEncoding.DecodeString(nested.Text(secret, "data", key)) // empty if it is invalid
		return data
	}
	var all []*x509.Certificate
	for block, rest := pem.Decode(read("tls.crt")); block != nil; block, rest = pem.Decode(rest) {
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return map[string]any{}
	}
	issuer := func(of *x509.Certificate) *x509.Certificate {
		i := slices.IndexFunc(all, func(c *x509.Certificate) bool { return c != of && bytes.Equal(c.RawSubject, of.RawIssuer) })
		if i < 0 || bytes.Equal(all[i].RawSubject, all[i].RawIssuer) { // clients have roots of their own
			return nil
		}
		return all[i]
	}
	first, ends := all[0], all[0]
	for c, i := issuer(first), 0; c != nil && i < len(all); c, i = issuer(c), i+1 {
		if c.NotAfter.Before(ends.NotAfter) {
			ends = c
		}
	}
	names := []any{}
	for _, name := range first.DNSNames {
		names = append(names, name)
	}
	which := "the certificate"
	if ends != first {
		which = "the certificate of its issuer " + cmp.Or(ends.Subject.CommonName, ends.Subject.String())
	}
	_, err := tls.X509KeyPair(read("tls.crt"), read("tls.key"))
	return map[string]any{"names": names, "since": first.NotBefore, "until": ends.NotAfter, "ends": which,
		"issuer": first.Issuer.String(), "keyed": err == nil || !strings.Contains(err.Error(), "does not match"),
		"issued": len(all) == 1 || slices.ContainsFunc(all, func(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, first.RawIssuer) })}
}

// SPDX-License-Identifier: Apache-2.0

package folder

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Files with credentials, relative to the data folder.
const (
	CAFile        = credentials + "/ca.crt"
	ServingCert   = credentials + "/server.crt"
	ServingKey    = credentials + "/server.key"
	AccountKey    = credentials + "/service-account.key"
	TokenFile     = credentials + "/tokens.csv"
	ProxyCA       = frontProxy + "/ca.crt" // of the requests that the API server passes on to aggregated ones
	ProxyCert     = frontProxy + "/client.crt"
	ProxyKey      = frontProxy + "/client.key"
	adminToken    = credentials + "/admin.token"
	managerToken  = credentials + "/controller-manager.token"
	credentials   = "credentials"
	frontProxy    = "front-proxy"
	validity      = 10 * 365 * 24 * time.Hour
	clockSkew     = time.Hour
	masters       = "system:masters"
	adminUser     = "localplane-admin"
	managerUser   = "system:kube-controller-manager"
	blockCert     = "CERTIFICATE"
	blockKey      = "EC PRIVATE KEY" // the only EC form that kube-apiserver also reads as a public key
	tokenFileLine = "%s,%s,%s,%q\n"
)

// ProxyName is the common name of the certificate by which the API server passes requests on.
const ProxyName = "front-proxy-client"

// Credentials let clients reach the API server.
type Credentials struct {
	CA           []byte // PEM
	AdminToken   string // member of system:masters
	ManagerToken string // for kube-controller-manager
}

// Credentials returns the folder's credentials and makes them first if they do not exist: all of them or, when that
// fails, none. They stay the same for the life of the folder, so a kubeconfig survives a restart.
func (f *Folder) Credentials(now time.Time) (*Credentials, error) {
	for name, create := range map[string]func(time.Time) (map[string][]byte, error){credentials: newCredentials, frontProxy: newFrontProxy} {
		if _, err := os.Stat(f.Join(name)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := f.createFiles(name, now, create); err != nil {
			return nil, fmt.Errorf("create %s: %w", name, err)
		}
	}
	ca, errCA := os.ReadFile(f.Join(CAFile))
	admin, errAdmin := os.ReadFile(f.Join(adminToken))
	manager, errManager := os.ReadFile(f.Join(managerToken))
	if err := errors.Join(errCA, errAdmin, errManager); err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	return &Credentials{CA: ca, AdminToken: string(admin), ManagerToken: string(manager)}, nil
}

func (f *Folder) createFiles(folder string, now time.Time, create func(time.Time) (map[string][]byte, error)) error {
	temp := f.Join(".new-" + folder)
	if err := errors.Join(os.RemoveAll(temp), os.Mkdir(temp, 0o700)); err != nil {
		return err
	}
	files, err := create(now)
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(temp, filepath.Base(name)), data, 0o600); err != nil {
			return err
		}
	}
	return os.Rename(temp, f.Join(folder))
}

// newAuthority returns the certificate of an authority.
func newAuthority(name string, now time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-clockSkew), NotAfter: now.Add(validity),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
}

// newFrontProxy returns the contents of the files by which an aggregated API server knows this API server. Their authority signs nothing
// else, so that no other client passes for the API server.
func newFrontProxy(now time.Time) (map[string][]byte, error) {
	ca := newAuthority("localplane-front-proxy", now)
	client := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: ProxyName}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	caKey, errCA := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	clientKey, errClient := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(errCA, errClient); err != nil {
		return nil, err
	}
	caCert, errCA := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	clientCert, errClient := x509.CreateCertificate(rand.Reader, client, ca, clientKey.Public(), caKey)
	key, errKey := keyPEM(clientKey)
	if err := errors.Join(errCA, errClient, errKey); err != nil {
		return nil, err
	}
	return map[string][]byte{ProxyCA: certPEM(caCert), ProxyCert: certPEM(clientCert), ProxyKey: key}, nil
}

// newCredentials returns file contents by name.
func newCredentials(now time.Time) (map[string][]byte, error) {
	ca := newAuthority("localplane", now)
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	caKey, errCA := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	serverKey, errServer := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	accountKey, errAccount := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(errCA, errServer, errAccount); err != nil {
		return nil, err
	}
	caCert, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return nil, err
	}
	serverCert, err := x509.CreateCertificate(rand.Reader, server, ca, serverKey.Public(), caKey)
	if err != nil {
		return nil, err
	}
	serverPEM, errServer := keyPEM(serverKey)
	accountPEM, errAccount := keyPEM(accountKey)
	if err := errors.Join(errServer, errAccount); err != nil {
		return nil, err
	}
	admin, manager := rand.Text(), rand.Text()
	var tokens strings.Builder
	fmt.Fprintf(&tokens, tokenFileLine, admin, adminUser, adminUser, masters)
	fmt.Fprintf(&tokens, tokenFileLine, manager, managerUser, managerUser, masters)
	return map[string][]byte{
		CAFile:       certPEM(caCert),
		ServingCert:  certPEM(serverCert),
		ServingKey:   serverPEM,
		AccountKey:   accountPEM,
		TokenFile:    []byte(tokens.String()),
		adminToken:   []byte(admin),
		managerToken: []byte(manager),
	}, nil
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: blockKey, Bytes: der}), nil
}

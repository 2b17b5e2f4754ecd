// SPDX-License-Identifier: Apache-2.0

package outbound

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Usage describes the flag of a [Gate].
const Usage = "network, address or name of a host that objects of tenants may name although it is not public, such as 10.0.0.0/8 or " +
	"registry.registry.svc; repeated"

// timeout bounds the attempt to connect to one address.
const timeout = 10 * time.Second

// Gate decides which addresses are connected to. The zero value allows public addresses. Its fields are set before use. It may be used by
// many goroutines.
type Gate struct {
	Allowed  []netip.Prefix // that are not public, and allowed
	Hosts    []string       // names that are allowed, in lower case, whatever address they have
	Refused  []netip.Prefix // further networks that are refused
	Resolver *net.Resolver  // nil: the default one

	once    sync.Once
	own     []netip.Prefix // of this machine and of the API server
	proxies sync.Map       // addresses of proxies of the environment
}

// RefusedError is an address that the gate does not connect to.
type RefusedError struct{ Host string }

// Error names the host as the tenant wrote it.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s is not a public address, and no administrator has listed it", e.Host)
}

// Set adds an exception: it implements [flag.Value].
func (g *Gate) Set(text string) error {
	host := fold(text)
	if p, err := netip.ParsePrefix(host); err == nil {
		g.Allowed = append(g.Allowed, p.Masked())
		return nil
	}
	if a, err := netip.ParseAddr(host); err == nil {
		g.Allowed = append(g.Allowed, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
		return nil
	}
	if len(validation.IsDNS1123Subdomain(host)) > 0 {
		return fmt.Errorf("%q is not a network, an address or the name of a host", text)
	}
	g.Hosts = append(g.Hosts, host)
	return nil
}

// String returns the exceptions, separated by commas.
func (g *Gate) String() string {
	var out []string
	if g != nil { // the flag package asks a zero value
		for _, p := range g.Allowed {
			out = append(out, p.String())
		}
		out = append(out, g.Hosts...)
	}
	return strings.Join(out, ",")
}

// fold returns the one form of a name.
func fold(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// Lists reports whether an administrator has listed the name of a host.
func (g *Gate) Lists(host string) bool { return slices.Contains(g.Hosts, fold(host)) }

// Dial connects to an address "HOST:PORT" that the gate allows, or returns a [RefusedError]. It is a DialContext of transports.
func (g *Gate) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: timeout, Resolver: g.Resolver}
	if _, proxy := g.proxies.Load(address); proxy || g.Lists(host) {
		return dialer.DialContext(ctx, network, address)
	}
	addresses, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, a := range addresses {
		connection, err := dialer.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return connection, nil
		}
		failed = err
	}
	return nil, failed
}

// resolve returns the addresses of a host that are allowed.
func (g *Gate) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addresses := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, a)
	} else {
		resolver := g.Resolver
		if resolver == nil {
			resolver = net.DefaultResolver
		}
		if addresses, err = resolver.LookupNetIP(ctx, "ip", host); err != nil {
			return nil, err
		}
	}
	addresses = slices.DeleteFunc(addresses, func(a netip.Addr) bool { return !g.Allows(a) })
	if len(addresses) == 0 {
		return nil, &RefusedError{host}
	}
	return addresses, nil
}

// Allows reports whether the gate connects to an address.
func (g *Gate) Allows(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	contains := func(p netip.Prefix) bool { return p.Contains(a) }
	if slices.ContainsFunc(g.Allowed, contains) {
		return true
	}
	g.once.Do(func() { g.own = own() })
	if four, embedded := embeddedIn(a); embedded && !g.Allows(four) {
		return false
	}
	return a.IsValid() && !slices.ContainsFunc(special, contains) && !slices.ContainsFunc(g.own, contains) &&
		!slices.ContainsFunc(g.Refused, contains)
}

// special are the networks that are not of the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry and
// https://www.iana.org/assignments/iana-ipv6-special-registry, with multicast.
var special = func() (out []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16",
		"198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
		"::/96", "100::/64", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "64:ff9b:1::/48",
	} {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}()

// embeddedIn returns the IPv4 address that a translating network reaches by an IPv6 address: NAT64 and 6to4.
func embeddedIn(a netip.Addr) (four netip.Addr, embedded bool) {
	bytes := a.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		return netip.AddrFrom4([4]byte(bytes[12:])), true
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return netip.AddrFrom4([4]byte(bytes[2:6])), true
	}
	return four, false
}

// own returns the networks of this machine, which in a pod belong to the cluster, and the address of the API server.
func own() (out []netip.Prefix) {
	addresses, _ := net.InterfaceAddrs() // without any there is no network to refuse
	for _, a := range addresses {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Masked())
		}
	}
	if a, err := netip.ParseAddr(os.Getenv("KUBERNETES_SERVICE_HOST")); err == nil {
		out = append(out, netip.PrefixFrom(a, a.BitLen()))
	}
	return out
}

// Transport returns a transport whose connections the gate allows. base is not used by others; nil: one with the defaults of net/http.
func (g *Gate) Transport(base *http.Transport) *http.Transport {
	if base == nil {
		base = http.DefaultTransport.(*http.Transport).Clone()
	}
	//lint:ignore SA1019 The old dialers are off, or a transport of a caller could pass the gate.
	base.DialContext, base.Dial, base.DialTLS, base.DialTLSContext = g.Dial, nil, nil, nil
	if base.Proxy != nil {
		base.Proxy = g.proxy(base.Proxy)
	}
	return base
}

// proxy returns a Proxy of a transport that looks at the target before a proxy is asked to connect to it.
func (g *Gate) proxy(of func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		at, err := of(r)
		if at == nil || err != nil {
			return at, err
		}
		if host := r.URL.Hostname(); !g.Lists(host) {
			if _, err := g.resolve(r.Context(), host); refused(err) {
				return nil, err
			}
		}
		port := at.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[at.Scheme]
		}
		g.proxies.Store(net.JoinHostPort(at.Hostname(), port), true)
		return at, nil
	}
}

func refused(err error) bool { _, is := err.(*RefusedError); return is }

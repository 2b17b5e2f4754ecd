// SPDX-License-Identifier: Apache-2.0

package outbound_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/tristate/tristate/operator/outbound"
)

// TestAllows: addresses of the public internet pass; all others are refused, in every form that the network understands.
func TestAllows(t *testing.T) {
	gate := &outbound.Gate{Refused: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}
	for _, exception := range []string{"10.1.0.0/16", "192.168.3.4", "fd00:1::/32"} {
		if err := gate.Set(exception); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]bool{
		"1.1.1.1": true, "93.184.215.14": true, "2606:4700::1111": true, "::ffff:1.1.1.1": true,
		"10.1.2.3": true, "192.168.3.4": true, "fd00:1::5": true, "::ffff:10.1.2.3": true, // listed
		"127.0.0.1": false, "127.8.8.8": false, "::1": false, "::ffff:127.0.0.1": false, "::127.0.0.1": false, "0.0.0.0": false, "::": false,
		"169.254.169.254": false, "::ffff:169.254.169.254": false, "fe80::1": false, "fe80::1%eth0": false, "fd00:ec2::254": false,
		"10.2.0.1": false, "172.16.0.1": false, "192.168.3.5": false, "100.64.0.1": false, "fd00:2::1": false,
		"64:ff9b::169.254.169.254": false, "64:ff9b::1.1.1.1": true, "2002:7f00:1::": false, "2002:a9fe:a9fe::": false,
		"224.0.0.1": false, "ff02::1": false, "255.255.255.255": false, "240.0.0.1": false,
		"203.0.113.7": false,
	} {
		if got := gate.Allows(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestDial: nothing connects to a refused address, whether the object names the address, a name that resolves to it, or a redirect does.
func TestDial(t *testing.T) {
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(inside.Close)
	port := inside.Listener.Addr().(*net.TCPAddr).Port
	gate := &outbound.Gate{}
	client := &http.Client{Transport: gate.Transport(nil)}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		_, err := client.Get(fmt.Sprintf("http://%s:%d/", host, port))
		var refused *outbound.RefusedError
		if !errors.As(err, &refused) || strings.Contains(refused.Error(), "127.0.0.1") != strings.Contains(host, "127.0.0.1") {
			t.Errorf("%s: %v", host, err)
		}
	}
	listed := &outbound.Gate{}
	if err := errors.Join(listed.Set("LocalHost"), listed.Set("127.0.0.0/8")); err != nil {
		t.Fatal(err)
	}
	hop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.255.255.1/", http.StatusFound)
	}))
	t.Cleanup(hop.Close)
	var refused *outbound.RefusedError
	if _, err := (&http.Client{Transport: listed.Transport(nil)}).Get(hop.URL); !errors.As(err, &refused) || refused.Host != "10.255.255.1" {
		t.Errorf("a redirect: %v", err)
	}
	if asked != 0 {
		t.Errorf("%d requests reached the server", asked)
	}
	response, err := (&http.Client{Transport: listed.Transport(nil)}).Get(fmt.Sprintf("http://localhost:%d/", port))
	if err != nil || asked != 1 {
		t.Fatalf("a listed host: %v, %d requests", err, asked)
	}
	response.Body.Close()
}

// TestProxy: a proxy is not asked for a target that is refused, and may itself be at such an address.
func TestProxy(t *testing.T) {
	var targets []string
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { targets = append(targets, r.URL.Host) }))
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: (&outbound.Gate{}).Transport(&http.Transport{Proxy: http.ProxyURL(at)})}
	for _, target := range []string{"http://169.254.169.254/token", "http://1.1.1.1/", "http://only.the.proxy.knows.invalid/"} {
		if response, err := client.Get(target); err == nil {
			response.Body.Close()
		}
	}
	if got := strings.Join(targets, " "); got != "1.1.1.1 only.the.proxy.knows.invalid" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

// TestFlag: an exception that is not one is an error.
func TestFlag(t *testing.T) {
	flags := flag.NewFlagSet("x", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	gate := &outbound.Gate{}
	flags.Var(gate, "allow-address", outbound.Usage)
	if err := flags.Parse([]string{"--allow-address=10.0.0.0/8", "--allow-address=::1", "--allow-address=Registry.Example."}); err != nil {
		t.Fatal(err)
	}
	if got := gate.String(); got != "10.0.0.0/8,::1/128,registry.example" {
		t.Error(got)
	}
	for _, bad := range []string{".", "..", "a,b", "", "10.0.0.0/33", "http://x", "*.example", "a b", "host:80"} {
		if err := gate.Set(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

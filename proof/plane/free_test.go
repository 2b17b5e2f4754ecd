// SPDX-License-Identifier: Apache-2.0

package plane_test

import (
	"net"
	"testing"

	"github.com/tristate/tristate/proof/plane"
)

// TestFree: an address is listened at, and no port that the system gives is one of those.
func TestFree(t *testing.T) {
	address, err := plane.Free()
	if err != nil {
		t.Fatal(err)
	}
	later, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	given, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer given.Close()
	port := func(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }
	if port(later) >= port(given) {
		t.Errorf("the system gives port %d, and %d is that of a later listener", port(given), port(later))
	}
}

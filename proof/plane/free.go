// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// The ports of [Free] are below those that a system gives to connections and to who asks for port 0: on Linux from 32768, elsewhere from
// 49152.
const (
	lowestFree  = 10000
	highestFree = 32767
)

// given are the addresses that this process has had.
var given sync.Map

// Free returns an address of this machine at which no process listens, for a program that listens at it later, or again after a pause. A
// port that the system has given, and that was closed since, may be that of any connection of another process by then. A process gets no
// address twice, as tests that run at the same time leave theirs for a while.
func Free() (address string, err error) {
	for range 100 {
		address = fmt.Sprintf("127.0.0.1:%d", lowestFree+rand.N(highestFree-lowestFree+1))
		if _, given := given.LoadOrStore(address, true); given {
			continue
		}
		listener, failed := net.Listen("tcp", address)
		if failed == nil {
			return address, listener.Close()
		}
		err = failed
	}
	return "", err
}

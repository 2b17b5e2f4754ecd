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

// Free returns an address of this machine at which no process listens, for a program that listens at it later, or again
// after a pause. By then, a port that the system gave and that was closed may belong to a connection of another
// process. A process gets no address twice, because tests that run at the same time leave theirs for a while.
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

// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

// Slow makes a client slow where the environment has TRISTATE_SLOW, a duration: it gets the answer to each write, but of a lease, a random
// time later, at most that long, when everyone else has seen what it wrote. A test that waits for one fact and asserts another one, which
// is written at another moment, then fails most of the time, and not once in a hundred runs.
func Slow(config *rest.Config) {
	most, err := time.ParseDuration(os.Getenv(envSlow))
	if err != nil || most <= 0 {
		return
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return slow{next, most} })
}

type slow struct {
	next http.RoundTripper
	most time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := s.next.RoundTrip(r)
	if r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases") {
		time.Sleep(rand.N(s.most))
	}
	return response, err
}

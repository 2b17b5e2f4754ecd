// SPDX-License-Identifier: Apache-2.0

package echo

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

// Later is the time between two questions to a router that no object waits for. It is spread by 20 %, so that a router is asked at least
// every 30 s: a confirmation is never older than that.
const Later = 25 * time.Second

// Poller pulls the status of routers: concurrently, bounded, with jitter. A dead router takes one of Workers for as long as Client waits.
type Poller struct {
	Store   *Store
	Client  *http.Client
	Token   func(ctx context.Context, sandbox types.NamespacedName) (string, error)
	URL     func(sandbox types.NamespacedName) string
	Workers int           // 0: 32
	Soon    time.Duration // between polls of a router that an object waits for; 0: 15 s
	Later   time.Duration // between polls of other routers; 0: [Later]

	once    sync.Once
	queue   workqueue.TypedDelayingInterface[types.NamespacedName]
	mu      sync.Mutex
	routers map[types.NamespacedName]map[string]bool // who waits for it
}

func (p *Poller) open() {
	p.once.Do(func() {
		p.queue = workqueue.NewTypedDelayingQueue[types.NamespacedName]()
		p.routers = map[types.NamespacedName]map[string]bool{}
	})
}

// Watch polls the router of a sandbox from now on. A report from before is dropped, so that nothing is judged by it.
func (p *Poller) Watch(sandbox types.NamespacedName) {
	p.open()
	p.mu.Lock()
	_, known := p.routers[sandbox]
	if !known {
		p.routers[sandbox] = map[string]bool{}
		p.Store.Forget(sandbox)
	}
	p.mu.Unlock()
	if !known {
		p.queue.Add(sandbox)
	}
}

// Unwatch stops polling; err is why there is no router.
func (p *Poller) Unwatch(sandbox types.NamespacedName, err error) {
	p.open()
	p.mu.Lock()
	delete(p.routers, sandbox)
	p.mu.Unlock()
	if err == nil {
		p.Store.Forget(sandbox)
		return
	}
	p.Store.Set(sandbox, Report{Err: err})
}

// Await sets whether a reconciler waits for the router of a sandbox to report another digest.
func (p *Poller) Await(sandbox types.NamespacedName, who string, waits bool) {
	p.open()
	p.mu.Lock()
	waiters, known := p.routers[sandbox]
	news := known && waits && !waiters[who]
	switch {
	case news:
		waiters[who] = true
	case known && !waits:
		delete(waiters, who)
	}
	p.mu.Unlock()
	if news {
		p.queue.AddAfter(sandbox, jitter(p.soon()))
	}
}

// Start polls until the context ends. It is for a manager.
func (p *Poller) Start(ctx context.Context) error {
	p.open()
	workers := p.Workers
	if workers == 0 {
		workers = 32
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				sandbox, stop := p.queue.Get()
				if stop {
					return
				}
				p.poll(ctx, sandbox)
				p.queue.Done(sandbox)
			}
		})
	}
	<-ctx.Done()
	p.queue.ShutDown()
	wg.Wait()
	return nil
}

func (p *Poller) poll(ctx context.Context, sandbox types.NamespacedName) {
	if !p.watched(sandbox) {
		return
	}
	entries, err := p.pull(ctx, sandbox)
	if ctx.Err() != nil || !p.watched(sandbox) {
		return
	}
	p.Store.Set(sandbox, Report{Entries: entries, Err: err})
	p.mu.Lock()
	waits := len(p.routers[sandbox]) > 0
	p.mu.Unlock()
	next := p.Later
	if next == 0 {
		next = Later
	}
	if waits || err != nil {
		next = p.soon()
	}
	p.queue.AddAfter(sandbox, jitter(next))
}

func (p *Poller) soon() time.Duration {
	if p.Soon == 0 {
		return 15 * time.Second
	}
	return p.Soon
}

func (p *Poller) watched(sandbox types.NamespacedName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.routers[sandbox]
	return ok
}

// pull asks one router. Errors name no address and no token; their text is stable as long as the cause is.
func (p *Poller) pull(ctx context.Context, sandbox types.NamespacedName) ([]Entry, error) {
	token, err := p.Token(ctx, sandbox)
	if err != nil {
		return nil, errors.New("there is no token for the router")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL(sandbox)+Path, nil)
	if err != nil {
		return nil, errors.New("the address of the router is malformed")
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := p.Client.Do(request)
	if err != nil {
		return nil, errors.New("the router does not answer: " + class(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the router answers %d", response.StatusCode)
	}
	return read(response.Body)
}

// read reads a status of at most MaxBody bytes.
func read(r io.Reader) ([]Entry, error) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	if err != nil {
		return nil, errors.New("the status ends early: " + class(err))
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("the status is longer than %d bytes", MaxBody)
	}
	return decode(body)
}

// class returns the class of a network error: its text has addresses and ports that change.
func class(err error) string {
	var dns *net.DNSError
	var network net.Error
	switch {
	case errors.As(err, &dns):
		return "its name is not known"
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "connection failed"
}

func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// PushPath is where routers push their status: POST PushPath + NAMESPACE/SANDBOX, with the token of the router as bearer.
const PushPath = "/router/v1/policy-status/"

// Pushed serves pushed statuses. A status of a router that is not polled is refused.
func (p *Poller) Pushed() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+PushPath+"{namespace}/{name}", func(w http.ResponseWriter, r *http.Request) {
		p.open()
		sandbox := types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || !p.watched(sandbox) {
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
		token, err := p.Token(r.Context(), sandbox)
		if err != nil || subtle.ConstantTimeCompare([]byte(token), []byte(given)) != 1 {
			http.Error(w, "not authorized", http.StatusUnauthorized)
			return
		}
		entries, err := read(http.MaxBytesReader(w, r.Body, MaxBody+1))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.Store.Set(sandbox, Report{Entries: entries})
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

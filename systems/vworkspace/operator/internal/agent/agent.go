// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Times of the protocol, unless the Cluster has others.
const (
	HeartbeatInterval = 30 * time.Second
	LongPoll          = 30 * time.Second
	MaxLongPoll       = 5 * time.Minute
	RotationInterval  = 7 * 24 * time.Hour
	RotationGrace     = 24 * time.Hour // the old credential stays valid; a credential is rotated that long before its expiry
	FlushInterval     = time.Second

	minBackoff = 2 * time.Second
	maxBackoff = time.Minute
)

// Config is the configuration that a Cluster asks for. The secrets are references: the agent reads them when it needs them.
type Config struct {
	ClusterID   string
	Endpoint    string
	Token       SecretKey // bootstrap token
	CA          SecretKey // zero: the authorities of the system
	Rotate      string    // another value has the cluster registered again
	Certificate string    // Secret with tls.crt and tls.key of the client; empty: none

	Heartbeat, LongPoll, Rotation time.Duration // 0: the default
}

// SecretKey names a key of a Secret in the operator's namespace.
type SecretKey struct{ Name, Key string }

// Secrets reads and stores credentials.
type Secrets interface {
	// Read returns the value of a key.
	Read(ctx context.Context, key SecretKey) ([]byte, error)
	// Credential returns the stored credential of a cluster; nil: none.
	Credential(ctx context.Context, clusterID string) (*Stored, error)
	// Keep stores a credential.
	Keep(ctx context.Context, c Stored) error
}

// Stored is a credential as it is kept.
type Stored struct {
	Credential
	IssuedAt time.Time `json:"issuedAt"`
	Rotate   string    `json:"rotate,omitempty"` // the value of Config.Rotate that it was registered for
}

// Agent keeps the connection. Its exported fields are set before use.
type Agent struct {
	Secrets Secrets
	Store   Store
	Runner  Runner // of jobs; nil: every job is refused
	Now     func() time.Time
	Jitter  func(time.Duration) time.Duration // nil: 80 to 120 percent
	Buffer  *Buffer
	Changed func() // called, without locks, when Link or the overflow changed
	Resync  func() // takes over the transitions of all objects; called, without locks, once there is a journal and a control plane
	Counter *Metrics

	mu      sync.Mutex
	config  Config
	link    Link
	paused  bool // while the cluster counts as disconnected: no new intent
	client  *Client
	pair    pair // of the client
	stored  *Stored
	print   string // fingerprint of what is presented
	refused string // fingerprint that was rejected: nothing is sent until it is another
	epoch   uint64 // of the state of the connection, see attempt
	self    self   // of the heartbeats

	failures int       // of heartbeats in a row
	nextBeat time.Time // zero: at once
	nextPoll time.Time
	polls    int
	nextSend time.Time
	sends    int
	nextSave time.Time // while dirty
	saves    int       // that failed in a row
	dropped  int64     // as it was when a heartbeat ended

	journal Journal
	saved   map[string]Mark // in the stored journal
	loaded  bool
	ready   chan struct{} // closed once it is loaded
	born    time.Time     // by the clock of the machine
	dirty   bool

	wake [3]chan struct{}
}

// New returns an agent with defaults.
func New(secrets Secrets, store Store, now func() time.Time) *Agent {
	a := &Agent{Secrets: secrets, Store: store, Now: now, Buffer: &Buffer{}, Jitter: jitter, journal: Journal{Taken: map[string]Mark{}},
		ready: make(chan struct{}), born: time.Now()}
	for i := range a.wake {
		a.wake[i] = make(chan struct{}, 1)
	}
	return a
}

func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// Configure sets the configuration of the Cluster; the zero Config ends the connection. paused stops new jobs.
func (a *Agent) Configure(c Config, paused bool) {
	a.mu.Lock()
	other, resumed := c != a.config, a.paused && !paused
	first := other && a.config.Endpoint == "" && a.loaded
	if other {
		if c.Endpoint != a.config.Endpoint || c.ClusterID != a.config.ClusterID || c.CA != a.config.CA {
			a.link, a.stored = Link{}, nil
		}
		if a.client != nil {
			a.client.Close()
			a.client = nil
		}
		a.config, a.nextBeat, a.failures = c, time.Time{}, 0
		a.epoch++
	}
	a.paused = paused
	a.mu.Unlock()
	if first && a.Resync != nil {
		a.Resync()
	}
	if other {
		a.Wake()
	} else if resumed {
		signal(a.wake[1])
	}
}

// Wake makes the tasks look at the clock again.
func (a *Agent) Wake() {
	for _, c := range a.wake {
		signal(c)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// View has the facts that the Cluster is judged by.
type View struct {
	Link    Link
	Dropped int64 // events lost since the buffer was last empty, as it was at the last heartbeat
	Drained bool  // the buffer has drained after an overflow
	Loaded  bool  // the journal was read: Dropped and Drained are known
}

// View returns the state of the connection.
func (a *Agent) View() View {
	s := a.Buffer.State()
	a.mu.Lock()
	defer a.mu.Unlock()
	v := View{Link: a.link, Dropped: s.Dropped, Drained: s.Drained, Loaded: a.loaded}
	if s.Dropped > 0 && a.dropped > 0 {
		v.Dropped = a.dropped
	}
	return v
}

// Start runs the agent until the context ends.
func (a *Agent) Start(ctx context.Context) error {
	var all sync.WaitGroup
	for i, task := range []func(context.Context) time.Time{a.Beat, a.Poll, a.Flush} {
		all.Go(func() { a.run(ctx, a.wake[i], task) })
	}
	all.Wait()
	return nil
}

// run repeats a task when it asks for it and when it is woken.
func (a *Agent) run(ctx context.Context, wake <-chan struct{}, task func(context.Context) time.Time) {
	for ctx.Err() == nil {
		next := task(ctx)
		var timer <-chan time.Time
		if !next.IsZero() {
			timer = time.After(max(next.Sub(a.Now()), time.Millisecond))
		}
		select {
		case <-ctx.Done():
		case <-timer:
		case <-wake:
		}
	}
}

// backoff returns how long to wait after n failures in a row, at most a limit before it is spread.
func (a *Agent) backoff(n int, limit time.Duration) time.Duration {
	return a.Jitter(min(minBackoff<<min(n-1, 10), limit))
}

// mark schedules a save of the journal; the caller holds the lock.
func (a *Agent) mark() {
	if a.dirty {
		return
	}
	a.dirty, a.nextSave = true, a.Now().Add(FlushInterval)
	signal(a.wake[2])
}

// update changes the state of the connection by what came of an attempt, and returns true; the outcome of an attempt that began before the
// state changed changes nothing. It calls Changed where a judgement may have changed, and starts the tasks that waited for a connection.
func (a *Agent) update(at attempt, change func(*Link)) bool {
	a.mu.Lock()
	if a.epoch != at.epoch {
		a.mu.Unlock()
		return false
	}
	before := a.link
	change(&a.link)
	now := a.link
	if now.Auth != before.Auth || (now.Error == "") != (before.Error == "") {
		a.epoch++
	}
	a.mu.Unlock()
	if now.OK() && !before.OK() {
		signal(a.wake[1])
		signal(a.wake[2])
	}
	if a.Changed != nil && (now.Error != before.Error || now.Auth != before.Auth || now.AuthError != before.AuthError ||
		now.Beat != before.Beat ||
		now.Registered != before.Registered || now.Tried() != before.Tried() || now.LastSuccess.IsZero() != before.LastSuccess.IsZero()) {
		a.Changed()
	}
	return true
}

func or(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// remember adds the outcome of a job.
func (a *Agent) remember(key, outcome string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.journal.Done = append(a.journal.Done, DoneJob{key, outcome})
	a.journal.Done = a.journal.Done[max(0, len(a.journal.Done)-maxDone):]
	a.mark()
}

// done returns the outcome of a job that ran before.
func (a *Agent) done(key string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.journal.Done, func(d DoneJob) bool { return d.Key == key })
	if i < 0 {
		return "", false
	}
	return a.journal.Done[i].Outcome, true
}

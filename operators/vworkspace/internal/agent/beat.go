// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Beat is the heartbeat task: it registers where there is no credential, rotates a credential that is due, and sends a heartbeat. It returns when to call it
// again; zero: when woken.
func (a *Agent) Beat(ctx context.Context) time.Time {
	a.mu.Lock()
	config, next, now := a.config, a.nextBeat, a.Now()
	a.mu.Unlock()
	if config.Endpoint == "" {
		return time.Time{}
	}
	if now.Before(next) {
		return next
	}
	err := a.beat(ctx, config)
	if ctx.Err() != nil {
		return time.Time{}
	}
	state := a.Buffer.State()
	a.mu.Lock()
	defer a.mu.Unlock()
	shown := a.dropped
	a.dropped = state.Dropped
	if shown != a.dropped && a.Changed != nil {
		defer func() { go a.Changed() }()
	}
	if a.config != config {
		return a.nextBeat // another configuration came meanwhile
	}
	interval := or(config.Heartbeat, HeartbeatInterval)
	var status *StatusError
	switch {
	case err == nil, errors.Is(err, errWaiting):
		a.failures = 0
		a.nextBeat = a.Now().Add(a.Jitter(interval))
	case errors.As(err, &status) && status.RetryAfter > 0:
		a.failures++
		a.nextBeat = a.Now().Add(status.RetryAfter)
	default:
		a.failures++
		// A control plane that answers stays Connected between two attempts: for two intervals.
		a.nextBeat = a.Now().Add(a.backoff(a.failures, max(interval*5/4, minBackoff)))
	}
	return a.nextBeat
}

// errWaiting: nothing is sent, because the rejected credential has not changed.
var errWaiting = errors.New("the credential was rejected")

func (a *Agent) beat(ctx context.Context, config Config) error {
	client, err := a.connect(ctx, config)
	if err != nil {
		a.failed(ctx, err)
		return err
	}
	stored, err := a.credential(ctx, client, config)
	if err != nil {
		return err
	}
	if err := a.rotate(ctx, client, config, stored); err != nil {
		return err
	}
	a.mu.Lock()
	stored = a.stored
	a.mu.Unlock()
	heartbeat := Event{EventKey: fmt.Sprintf("heartbeat/%s/%d", config.ClusterID, a.Now().Unix()), Kind: ClusterHeartbeat, Timestamp: a.Now().UTC()}
	send := func() error {
		a.Counter.attempt("heartbeat")
		return client.Call(ctx, http.MethodPost, PathEvents, stored.Token, 0, Events{ClusterID: config.ClusterID, Events: []Event{heartbeat}}, nil)
	}
	err = send()
	if rejected(err) {
		// Somebody may have rotated it: it is read once more.
		if newer, failed := a.Secrets.Credential(ctx, config.ClusterID); failed == nil && newer != nil && newer.Token != stored.Token {
			stored = newer
			a.mu.Lock()
			a.stored = newer
			a.mu.Unlock()
			err = send()
		}
	}
	if ctx.Err() != nil {
		return err
	}
	a.presented(ctx, config, stored, err, true)
	return err
}

// presented records the outcome of a request that presented a credential. One that was rejected is not used again; one whose time is over has
// expired, and the next heartbeat tries to rotate it.
func (a *Agent) presented(ctx context.Context, config Config, stored *Stored, err error, heartbeat bool) {
	now := a.Now()
	expired := !now.Before(stored.ExpiresAt)
	if rejected(err) && !expired {
		a.refuse(ctx, config, stored)
	}
	a.update(func(l *Link) {
		l.answered(err, now)
		if rejected(err) && expired {
			l.expire(now, err)
		}
		if heartbeat && err == nil {
			l.Beat = true
		}
	})
}

// connect returns the client.
func (a *Agent) connect(ctx context.Context, config Config) (*Client, error) {
	a.mu.Lock()
	client := a.client
	a.mu.Unlock()
	if client != nil {
		return client, nil
	}
	var ca []byte
	if config.CA.Name != "" {
		var err error
		if ca, err = a.Secrets.Read(ctx, config.CA); err != nil {
			return nil, fmt.Errorf("read the authorities of the control plane: %w", err)
		}
	}
	client, err := NewClient(config.Endpoint, ca)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.client = client
	return client, nil
}

// credential returns the credential, and registers the cluster where there is none or another registration was asked for.
func (a *Agent) credential(ctx context.Context, client *Client, config Config) (*Stored, error) {
	stored, err := a.Secrets.Credential(ctx, config.ClusterID)
	if err != nil {
		a.failed(ctx, err)
		return nil, err
	}
	print := a.fingerprint(ctx, config, stored)
	a.mu.Lock()
	waiting := a.refused != "" && a.refused == print
	a.mu.Unlock()
	if waiting {
		return nil, errWaiting
	}
	if stored != nil && stored.Rotate == config.Rotate {
		a.keep(stored)
		return stored, nil
	}
	token, err := a.Secrets.Read(ctx, config.Token)
	if err != nil {
		err = fmt.Errorf("read the registration token: %w", err)
		a.failed(ctx, err)
		return nil, err
	}
	var answer Credential
	registration := Registration{RegistrationToken: strings.TrimSpace(string(token)), ClusterID: config.ClusterID}
	if config.Capabilities != "" {
		registration.Capabilities = strings.Split(config.Capabilities, ",")
	}
	a.Counter.attempt("register")
	err = client.Call(ctx, http.MethodPost, PathRegister, "", 0, registration, &answer)
	if err == nil && (answer.Token == "" || answer.ClusterID != config.ClusterID || !answer.ExpiresAt.After(a.Now())) {
		err = errMalformed
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rejected(err) {
		a.refuse(ctx, config, stored)
	}
	if err == nil {
		stored = &Stored{Credential: answer, IssuedAt: a.Now().UTC().Truncate(time.Second), Rotate: config.Rotate}
		if err := a.Secrets.Keep(ctx, *stored); err != nil {
			a.failed(ctx, err)
			return nil, err
		}
		a.keep(stored)
	}
	a.update(func(l *Link) {
		l.answered(err, a.Now())
		if err == nil {
			l.Beat = false
		}
	})
	return stored, err
}

// rotate replaces a credential that is old, or will expire within the grace.
func (a *Agent) rotate(ctx context.Context, client *Client, config Config, stored *Stored) error {
	now := a.Now()
	if now.Before(stored.IssuedAt.Add(or(config.Rotation, RotationInterval))) && now.Before(stored.ExpiresAt.Add(-grace(stored))) {
		return nil
	}
	var answer Credential
	a.Counter.attempt("rotate")
	err := client.Call(ctx, http.MethodPost, PathRotate, stored.Token, 0, nil, &answer)
	if err == nil && (answer.Token == "" || !answer.ExpiresAt.After(now)) {
		err = errMalformed
	}
	if err == nil {
		next := &Stored{Credential: answer, IssuedAt: now.UTC().Truncate(time.Second), Rotate: stored.Rotate}
		next.ClusterID = stored.ClusterID
		if next.JobKey == "" {
			next.JobKey = stored.JobKey
		}
		if err := a.Secrets.Keep(ctx, *next); err != nil {
			a.failed(ctx, err)
			return err
		}
		a.keep(next)
		a.Buffer.Add(Event{EventKey: fmt.Sprintf("rotated/%s/%d", config.ClusterID, now.Unix()), Kind: CredentialRotated, Timestamp: now.UTC()})
		a.update(func(l *Link) { l.answered(nil, a.Now()) })
		return nil
	}
	if ctx.Err() != nil || now.Before(stored.ExpiresAt) {
		return nil // the credential is still good; the next heartbeat tries again
	}
	a.update(func(l *Link) {
		l.answered(err, now)
		l.expire(now, err)
	})
	return err
}

// grace returns how long before its expiry a credential is rotated; at most a third of its life.
func grace(c *Stored) time.Duration {
	return min(RotationGrace, c.ExpiresAt.Sub(c.IssuedAt)/3)
}

// keep takes a credential into use.
func (a *Agent) keep(c *Stored) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stored, a.refused = c, ""
	a.link.Registered, a.link.Expires = true, c.ExpiresAt
	a.Counter.credential(c.IssuedAt)
}

// failed records that the credential could not be presented. An operator that ends has not tried.
func (a *Agent) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	a.update(func(l *Link) {
		if l.Since.IsZero() {
			l.Since = a.Now()
		}
		l.Auth, l.AuthError = AuthFailed, err.Error()
	})
}

// refuse records the fingerprint that was rejected.
func (a *Agent) refuse(ctx context.Context, config Config, stored *Stored) {
	print := a.fingerprint(ctx, config, stored)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = print
}

// fingerprint identifies the credential, the bootstrap token and the annotation, without holding them.
func (a *Agent) fingerprint(ctx context.Context, config Config, stored *Stored) string {
	h := sha256.New()
	token, _ := a.Secrets.Read(ctx, config.Token) // one that cannot be read is another one as soon as it can
	fmt.Fprintf(h, "%q %q", token, config.Rotate)
	if stored != nil {
		fmt.Fprintf(h, " %q", stored.Token)
	}
	return hex.EncodeToString(h.Sum(nil))
}

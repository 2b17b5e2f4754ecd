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

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	corev1 "k8s.io/api/core/v1"
)

// Beat is the heartbeat task: it registers where there is no credential, rotates a credential that is due, and sends a heartbeat. It
// returns when to call it again; zero: when woken.
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
	err := a.beat(ctx)
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
	case err == nil, errors.Is(err, errWaiting), errors.Is(err, errLate):
		a.failures = 0
		a.nextBeat = a.Now().Add(a.Jitter(interval * 2 / 3)) // in time, so that Connected holds
	case errors.As(err, &status) && status.RetryAfter > 0:
		a.failures++
		a.nextBeat = a.Now().Add(status.RetryAfter)
	default:
		a.failures++
		a.nextBeat = a.Now().Add(a.backoff(a.failures, max(interval*5/4, minBackoff)))
	}
	return a.nextBeat
}

// errWaiting: nothing is sent, because the rejected credential has not changed.
var errWaiting = errors.New("the credential was rejected")

func (a *Agent) beat(ctx context.Context) error {
	at := a.begin()
	client, err := a.connect(ctx, at.config)
	if err != nil {
		a.failed(ctx, at, err)
		return err
	}
	if err := a.credential(ctx, client); err != nil {
		return err
	}
	if err := a.rotate(ctx); err != nil {
		return err
	}
	at = a.begin()
	if at.stored == nil || at.client != client {
		return errLate // another configuration came meanwhile
	}
	err = a.heartbeat(ctx, at)
	if rejected(err) {
		// It may have been rotated: it is read once more.
		if newer, failed := a.Secrets.Credential(ctx, at.config.ClusterID); failed == nil && newer != nil && newer.Token != at.stored.Token &&
			!a.late(at) {
			a.keep(newer, a.fingerprint(ctx, at.config, newer))
			at = a.begin()
			err = a.heartbeat(ctx, at)
		}
	}
	if ctx.Err() != nil {
		return err
	}
	if !a.presented(at, err, true) {
		return errLate
	}
	return err
}

// heartbeat reports the Cluster with its conditions.
func (a *Agent) heartbeat(ctx context.Context, at attempt) error {
	a.mu.Lock()
	of := a.self
	a.mu.Unlock()
	event := Event{EventKey: fmt.Sprintf("heartbeat/%s/%d", at.config.ClusterID, a.Now().Unix()), Kind: ClusterHeartbeat,
		Timestamp: a.Now().UTC()}
	if of.ref.Name == at.config.ClusterID {
		event.ResourceRef, event.Conditions = &of.ref, of.conditions
	}
	a.Counter.attempt("heartbeat")
	return at.client.Call(ctx, http.MethodPost, PathEvents, at.stored.Token, 0, Events{ClusterID: at.config.ClusterID, Events: []Event{event}},
		nil)
}

// presented records the outcome of a request that presented a credential, unless it is late. One that was rejected is not used again; one
// whose time is over has expired, and the next heartbeat tries to rotate it.
func (a *Agent) presented(at attempt, err error, heartbeat bool) bool {
	now := a.Now()
	expired := !now.Before(at.stored.ExpiresAt)
	return a.update(at, func(l *Link) {
		l.answered(err, now)
		if rejected(err) && expired {
			l.expire(now, err)
		} else if rejected(err) {
			a.refuse(at, l)
		}
		if heartbeat && err == nil {
			l.Beat = true
		}
	})
}

// refuse keeps the fingerprint that was rejected: nothing is sent before it is another. It is called within update.
func (a *Agent) refuse(at attempt, l *Link) {
	a.refused = at.print
	l.AuthError += fmt.Sprintf("; nothing is sent any more until key %s of Secret %s or Secret %s has another content, annotation %s of "+
		"Cluster %s has another value, or the operator is restarted",
		at.config.Token.Key, at.config.Token.Name, CredentialsName, api.AnnotationRotate, at.config.ClusterID)
}

// connect returns the client.
func (a *Agent) connect(ctx context.Context, config Config) (*Client, error) {
	certificate, err := a.certificate(ctx, config)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	client := a.client
	if client != nil && string(certificate.key) == string(a.pair.key) && string(certificate.chain) == string(a.pair.chain) {
		a.mu.Unlock()
		return client, nil
	}
	a.mu.Unlock()
	var ca []byte
	if config.CA.Name != "" {
		if ca, err = a.Secrets.Read(ctx, config.CA); err != nil {
			return nil, fmt.Errorf("read the authorities of the control plane: %w", err)
		}
	}
	next, err := newClient(config.Endpoint, ca, certificate)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.client = next; client != nil {
		client.Close()
		a.epoch++
	}
	a.pair = certificate
	return next, nil
}

// certificate reads the client certificate; none where the Cluster names none.
func (a *Agent) certificate(ctx context.Context, config Config) (p pair, err error) {
	if config.Certificate == "" {
		return p, nil
	}
	if p.chain, err = a.Secrets.Read(ctx, SecretKey{config.Certificate, corev1.TLSCertKey}); err == nil {
		p.key, err = a.Secrets.Read(ctx, SecretKey{config.Certificate, corev1.TLSPrivateKeyKey})
	}
	if err != nil {
		return pair{}, fmt.Errorf("read the client certificate: %w", err)
	}
	return p, nil
}

// credential finds the credential, and registers the cluster where there is none or another registration was asked for.
func (a *Agent) credential(ctx context.Context, client *Client) error {
	at := a.begin()
	config := at.config
	stored, err := a.Secrets.Credential(ctx, config.ClusterID)
	if err != nil {
		a.failed(ctx, at, err)
		return err
	}
	at.print = a.fingerprint(ctx, config, stored)
	a.mu.Lock()
	waiting, late := a.refused != "" && a.refused == at.print, a.epoch != at.epoch
	a.mu.Unlock()
	switch {
	case late:
		return errLate
	case waiting:
		return errWaiting
	case stored != nil && stored.Rotate == config.Rotate:
		a.keep(stored, at.print)
		return nil
	}
	token, err := a.Secrets.Read(ctx, config.Token)
	if err != nil {
		err = fmt.Errorf("read the registration token: %w", err)
		a.failed(ctx, at, err)
		return err
	}
	var answer Credential
	registration := Registration{RegistrationToken: strings.TrimSpace(string(token)), ClusterID: config.ClusterID}
	a.Counter.attempt("register")
	err = client.Call(ctx, http.MethodPost, PathRegister, "", 0, registration, &answer)
	if err == nil && (answer.Token == "" || answer.ClusterID != config.ClusterID || !answer.ExpiresAt.After(a.Now())) {
		err = errMalformed
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		next := &Stored{Credential: answer, IssuedAt: a.Now().UTC().Truncate(time.Second), Rotate: config.Rotate}
		return a.replace(ctx, at, next, func(l *Link) { l.Beat = false })
	}
	if !a.update(at, func(l *Link) {
		l.answered(err, a.Now())
		if rejected(err) {
			a.refuse(at, l)
		}
	}) {
		return errLate
	}
	return err
}

// replace stores another credential and presents it from now on. That of a configuration that has changed since is dropped.
func (a *Agent) replace(ctx context.Context, at attempt, next *Stored, change func(*Link)) error {
	if a.late(at) {
		return errLate
	}
	if err := a.Secrets.Keep(ctx, *next); err != nil {
		a.failed(ctx, at, err)
		return err
	}
	print := a.fingerprint(ctx, at.config, next)
	if !a.update(at, func(l *Link) {
		a.use(next, print)
		l.answered(nil, a.Now())
		change(l)
	}) {
		return errLate
	}
	return nil
}

// rotate replaces a credential that is old, or will expire within the grace.
func (a *Agent) rotate(ctx context.Context) error {
	at, now := a.begin(), a.Now()
	stored := at.stored
	if stored == nil || at.client == nil {
		return errLate
	}
	if now.Before(stored.IssuedAt.Add(or(at.config.Rotation, RotationInterval))) && now.Before(stored.ExpiresAt.Add(-grace(stored))) {
		return nil
	}
	var answer Credential
	a.Counter.attempt("rotate")
	err := at.client.Call(ctx, http.MethodPost, PathRotate, stored.Token, 0, nil, &answer)
	if err == nil && (answer.Token == "" || !answer.ExpiresAt.After(now)) {
		err = errMalformed
	}
	if err == nil {
		next := &Stored{Credential: answer, IssuedAt: now.UTC().Truncate(time.Second), Rotate: stored.Rotate}
		next.ClusterID = stored.ClusterID
		if err := a.replace(ctx, at, next, func(*Link) {}); err != nil {
			return err
		}
		a.Buffer.Add(Event{EventKey: fmt.Sprintf("rotated/%s/%d", at.config.ClusterID, now.Unix()), Kind: CredentialRotated,
			Timestamp: now.UTC()})
		return nil
	}
	if ctx.Err() != nil || now.Before(stored.ExpiresAt) {
		return nil // the credential is still good; the next heartbeat tries again
	}
	if !a.update(at, func(l *Link) {
		l.answered(err, now)
		l.expire(now, err)
	}) {
		return errLate
	}
	return err
}

// grace returns how long before its expiry a credential is rotated; at most a third of its life.
func grace(c *Stored) time.Duration {
	return min(RotationGrace, c.ExpiresAt.Sub(c.IssuedAt)/3)
}

// keep takes a credential into use.
func (a *Agent) keep(c *Stored, print string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.use(c, print)
}

// use is keep for a caller that holds the lock.
func (a *Agent) use(c *Stored, print string) {
	if a.stored == nil || a.stored.Token != c.Token {
		a.epoch++
	}
	a.stored, a.print, a.refused = c, print, ""
	a.link.Registered, a.link.Expires = true, c.ExpiresAt
	a.Counter.credential(c.IssuedAt)
}

// failed records that the credential could not be presented. An operator that ends has not tried.
func (a *Agent) failed(ctx context.Context, at attempt, err error) {
	if ctx.Err() != nil {
		return
	}
	a.update(at, func(l *Link) {
		if l.Since.IsZero() {
			l.Since = a.Now()
		}
		l.Auth, l.AuthError = AuthFailed, err.Error()
	})
}

// fingerprint identifies the credential, the bootstrap token and the annotation, without holding them.
func (a *Agent) fingerprint(ctx context.Context, config Config, stored *Stored) string {
	h := sha256.New()
	token, _ := a.Secrets.Read(ctx, config.Token) // one that cannot be read is another one as soon as it can
	certificate, _ := a.certificate(ctx, config)
	fmt.Fprintf(h, "%q %q %q", token, config.Rotate, certificate.chain)
	if stored != nil {
		fmt.Fprintf(h, " %q", stored.Token)
	}
	return hex.EncodeToString(h.Sum(nil))
}

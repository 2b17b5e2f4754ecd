// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Runner carries out jobs.
type Runner interface {
	// Run returns an outcome and a message without secrets.
	Run(ctx context.Context, job Job) (outcome, message string)
}

// maxJobs bounds how many jobs of one answer are carried out.
const maxJobs = 100

// Poll is the task of the jobs: one long poll, and the jobs that it brought. It returns when to call it again; zero: when woken. It does
// nothing while there is no connection, and while the cluster counts as disconnected.
func (a *Agent) Poll(ctx context.Context) time.Time {
	a.mu.Lock()
	at, next := a.attempt(), a.nextPoll
	config, client, stored := at.config, at.client, at.stored
	ready := a.link.OK() && !a.paused && a.loaded && client != nil && stored != nil
	now := a.Now()
	a.mu.Unlock()
	if !ready || config.Endpoint == "" {
		return time.Time{}
	}
	if now.Before(next) {
		return next
	}
	wait := min(or(config.LongPoll, LongPoll), MaxLongPoll)
	query := url.Values{"cluster": {config.ClusterID}, "wait": {fmt.Sprint(int(wait.Seconds()))}}
	var answer Jobs
	a.Counter.attempt("jobs")
	err := client.Call(ctx, http.MethodGet, PathJobs+"?"+query.Encode(), stored.Token, wait, nil, &answer)
	if ctx.Err() != nil {
		return time.Time{}
	}
	if !a.presented(at, err, false) {
		return a.Now().Add(time.Second)
	}
	if err == nil {
		for _, job := range answer.Jobs[:min(len(answer.Jobs), maxJobs)] {
			if !a.wanted(at) {
				break // the control plane delivers it again
			}
			if err = a.work(ctx, client, stored, job); err != nil {
				a.update(at, func(l *Link) { l.answered(err, a.Now()) })
				break
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var status *StatusError
	switch {
	case err == nil:
		a.polls, a.nextPoll = 0, time.Time{}
		if len(answer.Jobs) == 0 && a.Now().Sub(now) < time.Second {
			a.nextPoll = a.Now().Add(time.Second) // an answer that did not wait
		}
		return a.Now().Add(time.Millisecond)
	case errors.As(err, &status) && status.RetryAfter > 0:
		a.polls++
		a.nextPoll = a.Now().Add(status.RetryAfter)
	default:
		a.polls++
		a.nextPoll = a.Now().Add(a.backoff(a.polls, maxBackoff))
	}
	return a.nextPoll
}

// wanted reports whether jobs that an attempt brought are carried out: its state still holds, and new intent is not paused.
func (a *Agent) wanted(at attempt) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch == at.epoch && !a.paused
}

// work carries out a job and reports its result.
func (a *Agent) work(ctx context.Context, client *Client, stored *Stored, job Job) error {
	if job.ID == "" || len(job.ID) > 253 {
		return nil // there is no job to answer
	}
	path := PathJobs + "/" + url.PathEscape(job.ID)
	err := client.Call(ctx, http.MethodPost, path+"/ack", stored.Token, 0, nil, nil)
	var status *StatusError
	if err != nil && !(errors.As(err, &status) && status.Code == http.StatusConflict) { // another delivery was acknowledged
		return err
	}
	a.Counter.lag(a.Now().Sub(job.CreatedAt))
	outcome, message := a.carryOut(ctx, client, stored, path, job)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.Counter.job(outcome)
	return client.Call(ctx, http.MethodPost, path+"/result", stored.Token, 0, JobReport{Outcome: outcome, Message: message}, nil)
}

func (a *Agent) carryOut(ctx context.Context, client *Client, stored *Stored, path string, job Job) (outcome, message string) {
	switch {
	case job.tooLarge:
		return OutcomeFailed, fmt.Sprintf("the job is larger than %d bytes", MaxBody)
	case !job.ExpiresAt.IsZero() && !a.Now().Before(job.ExpiresAt):
		return OutcomeNoop, "the job has expired"
	case job.IdempotencyKey == "" || len(job.IdempotencyKey) > 253:
		return OutcomeFailed, "the job has no idempotency key of at most 253 characters"
	case a.Runner == nil:
		return OutcomeFailed, "the operator runs no jobs"
	}
	if was, ok := a.done(job.IdempotencyKey); ok {
		return OutcomeNoop, "the job ran before: " + was
	}
	if err := client.Call(ctx, http.MethodPost, path+"/status", stored.Token, 0, JobReport{State: "running"}, nil); err != nil {
		a.Counter.attempt("status-failed") // the result counts
	}
	outcome, message = a.Runner.Run(ctx, job)
	if ctx.Err() != nil {
		return outcome, message
	}
	a.remember(job.IdempotencyKey, outcome)
	_ = a.save(ctx) // a failure leaves the journal dirty, and the flush task stores it
	return outcome, message
}

// SPDX-License-Identifier: Apache-2.0

package karseval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/corpus"
	"github.com/tristate/tristate/systems/kars/operator/internal/karssandbox"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RunNow is the annotation that asks for one run; it is removed once the Job exists.
const RunNow = "kars.azure.com/run-now"

const (
	maxHistory = 20
	maxFailing = 5
	maxReports = 1024 // that are kept in memory
	// runOf marks the Jobs that were asked for.
	runOf = "kars.azure.com/run-of"
)

var schedules = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// Check returns the problems of a spec.
func Check(spec api.KarsEvalSpec) (problems []string) {
	if spec.Corpus.Builtin != "" && spec.Corpus.BundleRef != nil {
		problems = append(problems, "corpus has both builtin and bundleRef")
	}
	if spec.Schedule != "" && !scheduled(spec.Schedule) {
		problems = append(problems, fmt.Sprintf("schedule %q is not a cron expression of 5 or 6 fields", spec.Schedule))
	}
	return problems
}

// scheduled reports whether a schedule is a cron expression of 5 or 6 fields. A time zone in it, which a CronJob refuses, is not one: the
// parser panics where nothing follows it.
func scheduled(text string) bool {
	if strings.Contains(text, "=") {
		return false
	}
	_, err := schedules.Parse(text)
	return err == nil
}

// gatherer finds the facts of evaluations. Reports are kept by Job, because a log is read once.
type gatherer struct {
	env *kit.Env

	mu      sync.Mutex
	reports map[types.UID]outcome
}

type outcome struct {
	result *api.EvalResult
	err    string
}

func (g *gatherer) gather(ctx context.Context, o *api.KarsEval, _ time.Time) (Facts, error) {
	f := Facts{Problems: Check(o.Spec), Scheduled: o.Spec.Schedule != "", RanBefore: o.Status.LastResult != nil}
	f.Verdict = meta.FindStatusCondition(o.Status.Conditions, TypeConformanceDrift) != nil
	if err := g.target(ctx, o, &f); err != nil {
		return f, err
	}
	if len(f.Problems) > 0 {
		return f, nil
	}
	g.corpus(ctx, o, &f)
	if last := o.Status.LastResult; last != nil && last.CorpusDigest == f.Digest {
		f.Result = last
	}
	return f, g.runs(ctx, o, &f)
}

// target looks at the sandbox.
func (g *gatherer) target(ctx context.Context, o *api.KarsEval, f *Facts) error {
	name := o.Spec.TargetSandboxRef.Name
	target := &api.KarsSandbox{}
	exists, err := g.env.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, target)
	if err != nil {
		return err
	}
	ready := meta.FindStatusCondition(target.Status.Conditions, karssandbox.TypeReady)
	switch {
	case !exists:
		f.TargetMissing = fmt.Sprintf("there is no sandbox %s", name)
	case ready == nil || ready.Status != metav1.ConditionTrue || target.Status.Phase != "Running":
		f.TargetNotReady = fmt.Sprintf("sandbox %s is not Ready", name)
	}
	return nil
}

// corpus resolves the cases.
func (g *gatherer) corpus(ctx context.Context, o *api.KarsEval, f *Facts) {
	var body []byte
	if ref := o.Spec.Corpus.BundleRef; ref != nil {
		content, failure := g.env.Bundle(ctx, *ref, artifact.EvalCorpus)
		if failure != nil {
			f.FetchError = failure.Error()
			return
		}
		body = content
	} else {
		name := o.Spec.Corpus.Builtin
		if name == "" {
			name = corpus.Default
		}
		var known bool
		if body, known = corpus.Builtin(name); !known {
			f.NoBuiltin = fmt.Sprintf("there is no builtin corpus %q", name)
			return
		}
	}
	if _, err := corpus.Parse(body); err != nil {
		f.ParseError = err.Error()
		return
	}
	f.Corpus, f.Digest = string(body), corpus.Digest(body)
}

// runs looks at the Jobs: those in flight, and the newest that has finished.
func (g *gatherer) runs(ctx context.Context, o *api.KarsEval, f *Facts) error {
	var jobs batchv1.JobList
	if err := g.env.Manager.GetClient().List(ctx, &jobs, client.InNamespace(o.Namespace),
		client.MatchingLabels{kit.LabelEval: o.Name, child.LabelManaged: kit.Manager}); err != nil {
		return err
	}
	var newest, current *batchv1.Job
	want := jobSpec(g.env, o, nil).Template.Spec
	for i := range jobs.Items {
		job := &jobs.Items[i]
		own, end := runsAs(want, job.Spec.Template.Spec), ended(job)
		if job.Name == o.Status.CurrentRun { // also the Job of an operator that made other Jobs
			current = job
		} else if !own {
			continue
		}
		if end.IsZero() {
			f.Running = true
			if job.Labels[runOf] != "" {
				f.RunAsked, f.Current, f.Job = true, job.Name, job
			}
			if began := job.CreationTimestamp.Time; f.Oldest == "" || began.Before(f.Began) {
				f.Oldest, f.Began = string(job.UID), began
			}
			continue
		}
		if own && (newest == nil || ended(newest).Before(end)) {
			newest = job
		}
	}
	if name := o.Status.CurrentRun; name != "" && current == nil &&
		!slices.ContainsFunc(o.Status.History, func(r api.EvalResult) bool { return r.Run == name }) {
		f.Current, f.RunAsked, f.Running = name, true, true // its Job was deleted
	}
	read := func(r api.EvalResult) bool { return newest != nil && r.Run == newest.Name }
	if newest == nil || f.Digest == "" || slices.ContainsFunc(o.Status.History, read) {
		return nil
	}
	report, err := g.report(ctx, newest, want, f.Digest)
	if err != nil {
		return err
	}
	if f.ReportError = report.err; report.result != nil && report.result.CorpusDigest == f.Digest {
		f.Result = report.result
	}
	return nil
}

// ended returns when a Job completed or failed; zero: it has not.
func ended(job *batchv1.Job) time.Time {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// report reads the output of a finished run, once.
func (g *gatherer) report(ctx context.Context, job *batchv1.Job, want corev1.PodSpec, digest string) (outcome, error) {
	g.mu.Lock()
	known, ok := g.reports[job.UID]
	g.mu.Unlock()
	if ok {
		return known, nil
	}
	text, err := g.log(ctx, job, want)
	if err != nil {
		return outcome{}, err
	}
	var out outcome
	if report, err := corpus.ParseReport(text, digest); err != nil {
		out.err = fmt.Sprintf("run %s: %v", job.Name, err)
	} else {
		out.result = &api.EvalResult{Run: job.Name, CompletedAt: metav1.NewTime(ended(job)), CorpusDigest: digest, Total: report.Total,
			Passed: report.Passed,
			Failed: report.Failed, Errored: report.Errored}
		for _, r := range report.Results {
			if r.Verdict.Result == corpus.Fail && len(out.result.Failing) < maxFailing {
				out.result.Failing = append(out.result.Failing, r.CaseID)
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reports == nil || len(g.reports) >= maxReports {
		g.reports = map[types.UID]outcome{}
	}
	g.reports[job.UID] = out
	return out, nil
}

// log returns the output of the newest pod of a Job; nothing if there is no pod. Anybody may write the label that selects them, so
// only a pod with the uid of the Job counts, and only if it runs what the Job runs.
func (g *gatherer) log(ctx context.Context, job *batchv1.Job, want corev1.PodSpec) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	pods := g.env.Logs.CoreV1().Pods(job.Namespace)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job.Name})
	if err != nil {
		return nil, err
	}
	var newest *corev1.Pod
	for i := range list.Items {
		pod := &list.Items[i]
		own := metav1.IsControlledBy(pod, job) && runsAs(want, pod.Spec)
		if own && (newest == nil || newest.CreationTimestamp.Before(&pod.CreationTimestamp)) {
			newest = pod
		}
	}
	if newest == nil {
		return nil, nil
	}
	limit := int64(corpus.MaxReport + 1)
	stream, err := pods.GetLogs(newest.Name, &corev1.PodLogOptions{Container: "runner", LimitBytes: &limit}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of run %s: %w", job.Name, err)
	}
	defer stream.Close()
	text, err := io.ReadAll(io.LimitReader(stream, limit))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read the log of run %s: %w", job.Name, err)
	}
	return text, nil
}

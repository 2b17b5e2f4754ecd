// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/systems/kars/operator/internal/router"
)

// Run is the program kars-eval-runner: it asks a router about each case and prints the report. It exits with 0 whatever the result of the
// cases, and with 2 or 3 where there is none.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := program.New("kars-eval-runner", stderr)
	base := p.String("router", "", "URL of the router")
	file := p.String("corpus", "", "file with the corpus")
	return p.Run(args, func() error {
		body, err := os.ReadFile(*file)
		if err != nil {
			return err
		}
		corpus, err := Parse(body)
		if err != nil {
			return err
		}
		client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}
		return json.NewEncoder(stdout).Encode(Evaluate(ctx, corpus, Digest(body), *base,
			func(ctx context.Context, s router.Scenario) (router.Decision, error) {
				return ask(ctx, client, *base, s)
			}, time.Now))
	})
}

// Evaluate asks about each case.
func Evaluate(ctx context.Context, c Corpus, digest, base string, ask func(context.Context, router.Scenario) (router.Decision, error),
	now func() time.Time) Report {
	r := Report{SchemaVersion: "v1", CorpusName: c.Name, CorpusDigest: digest, StartedAt: now().UTC(), RouterBase: base, Results: []Result{}}
	for _, one := range c.Cases {
		result := Result{CaseID: one.ID, Tags: one.Tags, Scenario: one.Scenario, Expected: one.Expect}
		var failed error
		for range max(1, one.Scenario.Repeat) {
			decision, err := ask(ctx, one.Scenario.Scenario)
			if err != nil {
				failed = err
				break
			}
			result.Actual = append(result.Actual, decision)
		}
		if failed != nil {
			result.Verdict = Verdict{Error, failed.Error()}
		} else {
			result.Verdict = Judge(one.Expect, result.Actual)
		}
		r.Total++
		switch result.Verdict.Result {
		case Pass:
			r.Passed++
		case Fail:
			r.Failed++
		default:
			r.Errored++
		}
		r.Results = append(r.Results, result)
	}
	r.CompletedAt = now().UTC()
	r.DurationMs = r.CompletedAt.Sub(r.StartedAt).Milliseconds()
	return r
}

func ask(ctx context.Context, client *http.Client, base string, s router.Scenario) (router.Decision, error) {
	var d router.Decision
	body, err := json.Marshal(s)
	if err != nil {
		return d, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+router.EvaluatePath, bytes.NewReader(body))
	if err != nil {
		return d, errors.New("the URL of the router is malformed")
	}
	response, err := client.Do(request)
	if err != nil {
		return d, errors.New("the router does not answer")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return d, fmt.Errorf("the router answers %d", response.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&d); err != nil {
		return d, errors.New("the router answers something else than a decision")
	}
	return d, nil
}

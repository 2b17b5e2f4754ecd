// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// bytesPerToken estimates the tokens of a prompt from its JSON: a router has no tokenizer of the model.
const bytesPerToken = 4

// limits are the fields by which a call declares how many tokens its answer may have.
var limits = []string{"max_tokens", "max_completion_tokens", "max_output_tokens"}

// errCall is returned for a call that is no JSON object, or whose limits are no numbers.
var errCall = errors.New("the call is not a JSON object, or a limit of tokens is not a number from 0")

// meter holds a model call to the budget of a request, which counts the prompt and the answer. A call whose prompt alone, or whose declared
// answer alone, is over the budget is refused. Otherwise the answer is limited to what the prompt leaves: also that of a call that declares
// no limit, or a higher one. It returns the decision and the body to forward.
func (s *State) meter(path string, body []byte) (Decision, []byte, error) {
	var call map[string]json.RawMessage
	if json.Unmarshal(body, &call) != nil || call == nil {
		return Decision{}, nil, errCall
	}
	if d := s.permitted(path, call); d.Decision != Allowed {
		return d, nil, nil
	}
	declared := int64(-1)
	for _, name := range limits {
		n, err := number(call[name])
		if err != nil {
			return Decision{}, nil, err
		}
		declared = max(declared, n)
	}
	choices, err := number(call["n"])
	if err != nil {
		return Decision{}, nil, err
	}
	choices = max(choices, 1)
	budget := s.budget()
	prompt := int64(len(body)+bytesPerToken-1) / bytesPerToken
	switch over := s.tokens(max(declared, 0)); {
	case budget == 0:
		return over, body, nil
	case over.Decision != Allowed:
		return over, nil, nil
	case prompt >= budget:
		return Decision{BudgetExceeded, "InferencePolicy", fmt.Sprintf("about %d tokens in the prompt, at most %d a request", prompt, budget)},
			nil, nil
	case slices.Contains([]string{"embeddings", "image"}, actionOf(path)): // their answers have no tokens
		return over, body, nil
	}
	left := (budget - prompt) / choices
	if left == 0 {
		return Decision{BudgetExceeded, "InferencePolicy", fmt.Sprintf("%d answers, at most %d tokens a request", choices, budget)}, nil, nil
	}
	if declared >= 0 && declared <= left {
		return Decision{Allowed, "InferencePolicy", ""}, body, nil
	}
	limit := json.RawMessage(fmt.Sprint(left))
	if declared < 0 {
		call[limitOf(path)] = limit
	}
	for _, name := range limits {
		if n, _ := number(call[name]); n > left {
			call[name] = limit
		}
	}
	bounded, err := json.Marshal(call)
	return Decision{Allowed, "InferencePolicy", fmt.Sprintf("the answer is limited to %d tokens", left)}, bounded, err
}

// number reads a number from 0; -1: it is not given.
func number(raw json.RawMessage) (int64, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return -1, nil
	}
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 {
		return 0, errCall
	}
	return n, nil
}

// limitOf returns the field by which an interface of the models limits the answer.
func limitOf(path string) string {
	switch actionOf(path) {
	case "responses":
		return "max_output_tokens"
	case "chat":
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// budget returns the tokens of a request; 0: there is no budget.
func (s *State) budget() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.inference == nil || s.inference.TokenBudget == nil {
		return 0
	}
	return max(s.inference.TokenBudget.PerRequestTokens, 0)
}

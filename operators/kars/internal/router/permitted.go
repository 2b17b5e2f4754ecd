// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// permitted holds a model call to the action and the models of the policy. A call for another action, or that names another model, is
// refused; one that names none is left to the endpoint.
func (s *State) permitted(path string, call map[string]json.RawMessage) Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.inference
	if p == nil {
		return Decision{Allowed, "InferencePolicy", ""}
	}
	if action := actionOf(path); p.Action != "" && p.Action != "*" && p.Action != action {
		return Decision{Blocked, "InferencePolicy", fmt.Sprintf("the policy is for %s, and this is a call for %s", p.Action, action)}
	}
	if p.ModelPreference == nil || len(call["model"]) == 0 {
		return Decision{Allowed, "InferencePolicy", ""}
	}
	var model string
	if json.Unmarshal(call["model"], &model) != nil || !slices.Contains(append(p.ModelPreference.Fallback, p.ModelPreference.Primary),
		Model{model}) {
		return Decision{Blocked, "InferencePolicy", fmt.Sprintf("model %s is not one of the policy", call["model"])}
	}
	return Decision{Allowed, "InferencePolicy", ""}
}

// actionOf returns the action of a path of the interface of the models, by the words of InferencePolicy.
func actionOf(path string) string {
	for prefix, action := range map[string]string{"/v1/chat/": "chat", "/v1/responses": "responses", "/v1/images/": "image",
		"/v1/embeddings": "embeddings"} {
		if strings.HasPrefix(path, prefix) {
			return action
		}
	}
	return "others"
}

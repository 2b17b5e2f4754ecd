// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// waitRule is a wait rule of kapp, as far as it can be imported.
type waitRule struct {
	ConditionMatchers []struct {
		Type, Status               string
		Success, Failure           bool
		UnblockChanges             bool   `json:"unblockChanges"`
		SupportsObservedGeneration bool   `json:"supportsObservedGeneration"`
		Timeout                    string `json:"timeout"`
	} `json:"conditionMatchers"`
	ResourceMatchers []matcher `json:"resourceMatchers"`
	Ytt              any       `json:"ytt"`
}

// matcher has one key, the kind of the matcher.
type matcher map[string]any

// config reads the wait rules of a kapp Config.
func (r *reader) config(document map[string]any) {
	apiVersion, _ := document["apiVersion"].(string)
	if document["kind"] != "Config" || !strings.HasPrefix(apiVersion, "kapp.k14s.io/") {
		return
	}
	var rules []waitRule
	if !r.into("waitRules", document["waitRules"], &rules) {
		return
	}
	for i := range rules {
		path := fmt.Sprintf("waitRules[%d]", i)
		rule := &rules[i]
		if rule.Ytt != nil {
			r.fail(path+".ytt", "a function cannot be imported")
			continue
		}
		var verdicts []catalog.Verdict
		success := false
		for k, m := range rule.ConditionMatchers {
			at := fmt.Sprintf("%s.conditionMatchers[%d]", path, k)
			verdict := "InProgress"
			switch {
			case m.Success:
				verdict, success = "Current", true
			case m.Failure:
				verdict = "Failed"
			case m.UnblockChanges:
				r.fail(at+".unblockChanges", "is about the order of changes and says nothing of the object")
				continue
			}
			when := "condition(self, " + strconv.Quote(m.Type) + ").status == " + strconv.Quote(m.Status)
			if m.Timeout != "" {
				if _, err := time.ParseDuration(m.Timeout); err != nil {
					r.fail(at+".timeout", "%q is not a duration", m.Timeout)
					continue
				}
				when += " && after(condition(self, " + strconv.Quote(m.Type) + ").lastTransitionTime, duration(" + strconv.Quote(m.Timeout) + "))"
			}
			verdicts = append(verdicts, catalog.Verdict{When: when, Verdict: verdict})
		}
		if !success {
			r.fail(path+".conditionMatchers", "none of them means success: an object of the kind could never be Current")
			continue
		}
		for k, m := range rule.ResourceMatchers {
			at := fmt.Sprintf("%s.resourceMatchers[%d]", path, k)
			for _, kind := range r.kinds(at, m) {
				r.add(at, kind, verdicts)
			}
		}
	}
}

// kinds lists the kinds that a matcher names.
func (r *reader) kinds(path string, m matcher) []catalog.For {
	var out []catalog.For
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at := path + "." + name
		var to struct {
			APIVersion string    `json:"apiVersion"`
			APIGroup   string    `json:"apiGroup"`
			Kind       string    `json:"kind"`
			Matchers   []matcher `json:"matchers"`
		}
		if !r.into(at, m[name], &to) {
			continue
		}
		switch name {
		case "apiVersionKindMatcher":
			out = append(out, catalog.For{Group: schema.FromAPIVersionAndKind(to.APIVersion, to.Kind).Group, Kind: to.Kind})
		case "apiGroupKindMatcher":
			out = append(out, catalog.For{Group: to.APIGroup, Kind: to.Kind})
		case "anyMatcher":
			for i, inner := range to.Matchers {
				out = append(out, r.kinds(fmt.Sprintf("%s.matchers[%d]", at, i), inner)...)
			}
		default:
			r.fail(at, "does not name a kind")
		}
	}
	return out
}

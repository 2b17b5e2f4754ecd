// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// A KstatusResult is the answer of kstatus about one object, word for word.
type KstatusResult struct {
	// Status is Current, InProgress, Failed or Terminating.
	Status  Status
	Message string
	// Condition is Reconciling for InProgress, Stalled for Failed, and empty otherwise, with the Reason and
	// ConditionMessage of that condition.
	Condition, Reason, ConditionMessage string
}

// Kstatus answers as kstatus does (fluxcd/cli-utils v1.2.2, sigs.k8s.io/cli-utils v0.37.2): the same status, messages,
// reasons and errors. It replaces kstatus where its exact words are needed; [Engine.Judge] is more often
// right. Where kstatus panics (a container status that is no object), this is an error.
func Kstatus(object map[string]any, now time.Time) (KstatusResult, error) {
	k := kstatus{obj: object, now: now}
	o := Object{object}
	k.group, k.kind = groupKind(o.getStr("apiVersion"), o)
	if res, err := k.generic(); err != nil || res.Status != "" {
		return res, err
	}
	list, err := k.conditions()
	if err != nil {
		return KstatusResult{}, err
	}
	for _, c := range list {
		switch {
		case c.Type == "Reconciling" && c.Status == conditions.True:
			return k.progress(c.Reason(), c.Message()), nil
		case c.Type == "Stalled" && c.Status == conditions.True:
			return k.failed(c.Reason(), c.Message()), nil
		}
	}
	if rule := kstatusRules[k.group+"/"+k.kind]; rule != nil {
		return rule(&k, list)
	}
	for _, c := range list {
		if c.Type != "Ready" {
			continue
		}
		switch c.Status {
		case conditions.True:
			return k.current("Resource is Ready"), nil
		case conditions.False, conditions.Unknown:
			return k.progress(c.Reason(), c.Message()), nil
		}
	}
	return k.current("Resource is current"), nil
}

type kstatus struct {
	obj         map[string]any
	group, kind string
	now         time.Time
}

func (k *kstatus) current(message string) KstatusResult {
	return KstatusResult{Status: Current, Message: message}
}

func (k *kstatus) progress(reason, message string) KstatusResult {
	return KstatusResult{Status: InProgress, Message: message, Condition: "Reconciling", Reason: reason, ConditionMessage: message}
}

func (k *kstatus) failed(reason, message string) KstatusResult {
	return KstatusResult{Status: Failed, Message: message, Condition: "Stalled", Reason: reason, ConditionMessage: message}
}

// generic checks deletion and generation.
func (k *kstatus) generic() (KstatusResult, error) {
	deletion, found, err := k.typed("string", "metadata", "deletionTimestamp")
	if err != nil {
		return KstatusResult{}, fmt.Errorf("looking up metadata.deletionTimestamp from resource: %w", err)
	}
	if found && deletion.(string) != "" {
		return KstatusResult{Status: Terminating, Message: "Resource scheduled for deletion"}, nil
	}
	generation, found, err := k.typed("int64", "metadata", "generation")
	if err != nil {
		return KstatusResult{}, fmt.Errorf("looking up metadata.generation from resource: %w", err)
	}
	if !found {
		return KstatusResult{}, nil
	}
	observed, found, err := k.typed("int64", "status", "observedGeneration")
	if err != nil {
		return KstatusResult{}, fmt.Errorf("looking up status.observedGeneration from resource: %w", err)
	}
	if found && generation != observed {
		return k.progress("LatestGenerationNotObserved",
			fmt.Sprintf("%s generation is %d, but latest observed generation is %d", Object{k.obj}.getStr("kind"), generation, observed)), nil
	}
	return KstatusResult{}, nil
}

// lookup follows a path; a null on the way counts as absent, and any other value that is no map is an error.
func (k *kstatus) lookup(path ...string) (any, bool, error) {
	var v any = k.obj
	for i, f := range path {
		if v == nil {
			return nil, false, nil
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false, fmt.Errorf(".%s accessor error: %v is of the type %T, expected map[string]interface{}",
				strings.Join(path[:i+1], "."), v, v)
		}
		if v, ok = m[f]; !ok {
			return nil, false, nil
		}
	}
	return v, true, nil
}

// typed is lookup for a value of one type; any other type is an error.
func (k *kstatus) typed(want string, path ...string) (any, bool, error) {
	v, found, err := k.lookup(path...)
	if err != nil || !found {
		return nil, false, err
	}
	ok := false
	switch want {
	case "string":
		_, ok = v.(string)
	case "int64":
		_, ok = v.(int64)
	case "[]interface{}":
		_, ok = v.([]any)
	}
	if !ok {
		return nil, false, fmt.Errorf(".%s accessor error: %v is of the type %T, expected %s", strings.Join(path, "."), v, v, want)
	}
	return v, true, nil
}

// str and num are the lenient lookups of the rules for kinds: any unexpected value is the default.
func (k *kstatus) str(def string, path ...string) string {
	v, _, _ := k.lookup(path...)
	if s, ok := v.(string); ok {
		return s
	}
	return def
}

func (k *kstatus) num(def int64, path ...string) int64 {
	v, _, _ := k.lookup(path...)
	switch v := v.(type) {
	case int64:
		return v
	case int:
		return int64(v)
	case int32:
		return int64(v)
	}
	return def
}

// conditions decodes the list; one wrong shape anywhere is an error for the object. Statuses are as they are written.
func (k *kstatus) conditions() ([]Condition, error) {
	status := k.obj["status"]
	if status == nil {
		return nil, nil
	}
	m, ok := status.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("cannot restore struct from: %s", shapeName(status))
	}
	raw := m["conditions"]
	if raw == nil {
		return nil, nil
	}
	list, ok := raw.([]any)
	if !ok {
		return nil, fmt.Errorf("cannot restore slice from %s", shapeName(raw))
	}
	out := make([]Condition, len(list))
	for i, item := range list {
		if item == nil {
			continue
		}
		c, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("cannot restore struct from: %s", shapeName(item))
		}
		for _, f := range [...]struct{ key, goType string }{{"type", "string"}, {"status", "v1.ConditionStatus"}, {"reason", "string"},
			{"message", "string"}} {
			switch v := c[f.key].(type) {
			case nil, string:
			case int64, int, int32:
				return nil, fmt.Errorf("cannot convert %T to %s", v, f.goType)
			default:
				return nil, errors.New("unrecognized type: string")
			}
		}
		o := Object{c}
		out[i] = Condition{o.getStr("type"), conditions.Status(o.getStr("status")), o}
	}
	return out, nil
}

// shapeName is the reflection kind of a decoded JSON value.
func shapeName(v any) string {
	switch v.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "slice"
	}
	return fmt.Sprintf("%T", v)
}

// first returns the first condition of a type with a status.
func first(list []Condition, typ string, status conditions.Status) (c Condition, ok bool) {
	for _, c := range list {
		if c.Type == typ && c.Status == status {
			return c, true
		}
	}
	return Condition{}, false
}

// groupKind returns the group of an apiVersion and the kind; both are empty if the apiVersion has more than two parts.
func groupKind(api string, obj Object) (group, kind string) {
	slash := strings.IndexByte(api, '/')
	if strings.IndexByte(api[slash+1:], '/') >= 0 {
		return "", ""
	}
	return api[:max(slash, 0)], obj.getStr("kind")
}

// SPDX-License-Identifier: Apache-2.0

package export

import (
	"strings"

	"github.com/tristate/tristate/verdict"
)

// Silence is what the name of a kind says about an object without a status, by the conventions of package verdict. Without any of these the
// object is in progress: no controller has looked at it.
type Silence struct {
	Configuration bool // it holds configuration for others
	Provider      bool // and does so with an empty status, too
	Schedule      bool // it reports nothing before its first run
}

// SilenceOf asks package verdict about an object of the kind.
func SilenceOf(s *Subject) Silence {
	var engine verdict.Engine
	ruleOf := func(object map[string]any) string {
		object["apiVersion"], object["kind"] = strings.TrimPrefix(s.For.Group+"/v1", "/"), s.For.Kind
		v := engine.Judge(object, Now)
		return v.Rule
	}
	spec := map[string]any{"size": int64(1)}
	silent := ruleOf(map[string]any{"spec": spec})
	return Silence{
		Configuration: silent == "no-status/configuration",
		Provider:      ruleOf(map[string]any{"spec": spec, "status": map[string]any{}}) == "no-status/configuration",
		Schedule:      silent == "no-status/schedule",
	}
}

// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"strings"
	"testing"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
)

// Validate accepts what apimachinery accepts, and nothing else. The one difference is wanted: apimachinery counts the bytes of a
// message, the schema of the API server counts characters.
func FuzzValidateAsApimachinery(f *testing.F) {
	for _, s := range []string{"Ready", "", "example.com/Ready", "a/b/c", "A/b", "-a", "a-", strings.Repeat("a", 64), "x.y/" +
		strings.Repeat("a", 63), "a..b/c", "a:", "a,b", "_", "9", "é", "a\n"} {
		f.Add(s, "Fine", "True", "", int64(1))
		f.Add("Ready", s, "True", "", int64(1))
		f.Add("Ready", "Fine", s, "", int64(-1))
	}
	f.Add("Ready", "Fine", "True", strings.Repeat("m", MaxMessageBytes+1), int64(0))
	f.Add(strings.Repeat("a.", 126)+"a/Ready", "Fine", "True", "", int64(0))
	f.Add(strings.Repeat("a.", 127)+"a/Ready", "Fine", "True", "", int64(0))
	f.Fuzz(func(t *testing.T, conditionType, reason, status, message string, generation int64) {
		c := cond(conditionType, Status(status), reason, message, generation, t0)
		if len(message) > MaxMessageBytes {
			c.Message = message[:0]
		}
		want := validation.ValidateCondition(c.Condition, nil)
		got := Validate(&c, DialectCore)
		if (len(want) == 0) != (len(got) == 0) {
			t.Errorf("apimachinery says %v, we say %v", want, got)
		}
	})
}

func TestValidate(t *testing.T) {
	valid := func() Condition { return cond("Ready", True, "Fine", "", 1, t0) }
	tests := map[string]struct {
		change func(*Condition)
		d      Dialect
		want   []string
	}{
		"valid":      {func(*Condition) {}, DialectCore, nil},
		"characters": {func(c *Condition) { c.Message = strings.Repeat("é", MaxMessageBytes) }, DialectCore, nil},
		"long": {func(c *Condition) { c.Message = strings.Repeat("a", MaxMessageBytes+1) }, DialectCore,
			[]string{`condition "Ready": message has more than 32768 characters`}},
		"long, capi": {func(c *Condition) { c.Message = strings.Repeat("a", 10240+1) }, DialectCAPIv1beta1,
			[]string{`condition "Ready": message has more than 10240 characters`}},
		"reason, capi":    {func(c *Condition) { c.Reason = "Broken @ Pod/p" }, DialectCAPIv1beta1, nil},
		"no reason, capi": {func(c *Condition) { c.Reason = "" }, DialectCAPIv1beta1, nil},
		"all at once": {func(c *Condition) { *c = cond("", "", "", "", -1, t0); c.LastTransitionTime = metav1.Time{} }, DialectCore, []string{
			`condition "": type is not a qualified name of at most 316 bytes`,
			`condition "": reason "" must have 1 to 1024 letters, digits, '_', ',' and ':', begin with a letter and not end in ',' or ':'`,
			`condition "": observedGeneration -1 is negative`,
			`condition "": status "" is not True, False or Unknown`,
			`condition "": lastTransitionTime is missing`,
		}},
		"long names, capi": {func(c *Condition) { c.Type, c.Reason = strings.Repeat("t", 257), "\xff" }, DialectCAPIv1beta1, []string{
			`condition "` + strings.Repeat("t", 257) + `": type must have 1 to 256 bytes`,
			`condition "` + strings.Repeat("t", 257) + `": reason must have at most 256 bytes`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := valid()
			tt.change(&c)
			same(t, "errors", tt.want, texts(Validate(&c, tt.d)))
		})
	}
}

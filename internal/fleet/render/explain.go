// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/tristate/tristate/verdict"
)

// Explain writes how a verdict was reached: the rule that decided, the claims that it outranked, and the words that were read.
func Explain(w io.Writer, x verdict.Explanation, o Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "rule    %s", x.Rule)
	if x.Tier != "" {
		fmt.Fprintf(&b, ", in the tier %s\n", x.Tier)
		b.WriteString(wrap("        looks at "+x.Looks, o.Width) + "\n")
		b.WriteString(wrap("        "+x.Why, o.Width))
	}
	b.WriteString("\n")
	for i := range x.Claims {
		c := &x.Claims[i]
		title := "        "
		if i == 0 {
			title = "claims  "
		}
		fmt.Fprintf(&b, "%s%s by %s (%s): %s", title, c.Says, c.Rule, c.Tier, c.Fate)
		if detail := because(c.Reason, "", oneLine(c.Message)); detail != "" {
			b.WriteString(": " + detail)
		}
		b.WriteString("\n")
	}
	for i, word := range x.Words {
		title := "        "
		if i == 0 {
			title = "words   "
		}
		fmt.Fprintf(&b, "%s%s: %s (%s)\n", title, clean(word.Word), word.Meaning, word.In)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

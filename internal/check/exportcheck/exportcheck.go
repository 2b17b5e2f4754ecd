// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"embed"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

//go:embed doc
var archives embed.FS

// All are the checks of the family.
var All = check.Document(archives, []*check.Check{
	{ID: "export/fresh", Title: "generated code is what the catalogs say", Level: check.Error, Needs: evidence.Catalog | evidence.Exports,
		Why: "the code compiles against names that are no longer declared", Fix: "run tristate gen again", Run: fresh},
	{ID: "export/unknown-lost", Title: "metrics and health scripts keep Unknown apart", Level: check.Warning, Needs: evidence.Exports,
		Why: "a controller that does not know looks like one that reports a failure, or like a healthy one",
		Fix: "export a series for each status", Run: unknownLost},
	{ID: "export/alert-unknown", Title: "rules name what is declared", Level: check.Error, Needs: evidence.Exports,
		Why: "the expression matches nothing, and the alert never fires", Fix: "correct the name, or declare it", Run: alertUnknown},
	{ID: "export/alert-polarity", Title: "alerts fire on the unhealthy status", Level: check.Error, Needs: evidence.Exports,
		Why: "the alert fires for healthy objects, and is silent when it matters", Fix: "compare with the other status", Run: alertPolarity},
})

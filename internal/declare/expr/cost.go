// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/interpreter"
)

// The budgets, in CEL's units of cost, of which a machine does a few million a second: an expression ends within milliseconds, and so do
// all expressions about one object together.
const (
	limitSelf    = 50_000    // an expression about one object or a pair of them
	limitRelated = 1_000_000 // one about related objects, of which there may be a thousand
	perObject    = 4         // how many times the budget of one expression all that share a Context may cost
)

// guess is the number of items of a list, and of bytes of a string, for which the cost of an expression is estimated.
const guess = 64

// refuse is the factor by which that estimate may exceed the budget of an expression: three nested loops over lists are too many, two are
// not.
const refuse = 20

// ErrTooExpensive is the error of an expression that exceeds its budget, or that of all expressions about its object.
var ErrTooExpensive = errors.New("expression is too expensive")

func limitOf(scope Scope) uint64 {
	if scope == ScopeRelated || scope == ScopeChild {
		return limitRelated
	}
	return limitSelf
}

// expensive turns CEL's error about the cost into ErrTooExpensive.
func expensive(err error, limit uint64) error {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded {
		return fmt.Errorf("%w: it costs more than %d units", ErrTooExpensive, limit)
	}
	return err
}

// sizes estimates that every list and text has the same moderate size.
type sizes struct{}

// EstimateSize is a method of checker.CostEstimator.
func (sizes) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Min: 0, Max: guess}
}

// EstimateCallCost is a method of checker.CostEstimator: calls have CEL's own cost.
func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// tooExpensive returns the issue of an expression that exceeds its budget with lists of a moderate size.
func tooExpensive(env *cel.Env, checked *cel.Ast, scope Scope) []Issue {
	cost, err := env.EstimateCost(checked, sizes{})
	if limit := refuse * limitOf(scope); err == nil && cost.Max > limit {
		return []Issue{{1, 1, fmt.Sprintf("expression is too expensive: with %d items in each list it costs up to %d units, and %d are allowed",
			guess, cost.Max, limit)}}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

// Package operator is the manager of the operator for kro, and its program.
//
//	o, err := operator.New(config, operator.Options{})
//	if err != nil {
//		return err
//	}
//	return o.Start(ctx)
//
// # Rules
//
//   - Of several replicas one is active, by leader election; the others wait.
//   - The CustomResourceDefinition of ResourceGraphDefinition is kro's and has to be installed. That of ConditionCatalog is optional: with
//     it a catalog is published for each kind.
//   - It must not run together with kro itself: both would write the same objects.
package operator

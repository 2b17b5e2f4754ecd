// SPDX-License-Identifier: Apache-2.0

// Package scrape protects the metrics of the operators of the documents. It is not part of package operator, because it needs the
// modules of an API server.
//
//	scrape.Flag(program.FlagSet, &options.Manager)
package scrape

import (
	"flag"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
)

// Flag declares --metrics-auth: none, the default, for whoever reaches the address; or cluster, over TLS, for the users of the cluster that
// may get the path /metrics. The account of the operator then needs the right to create tokenreviews and subjectaccessreviews.
func Flag(flags *flag.FlagSet, o *manager.Options) {
	flags.Func("metrics-auth", "who may read the metrics: none (default), whoever reaches the address; or cluster, over TLS, users that may "+
		"get the path /metrics", func(who string) error {
		switch who {
		case "none":
			o.Metrics.SecureServing, o.Metrics.FilterProvider = false, nil
		case "cluster":
			o.Metrics.SecureServing, o.Metrics.FilterProvider = true, filters.WithAuthenticationAndAuthorization
		default:
			return fmt.Errorf("%q is neither none nor cluster", who)
		}
		return nil
	})
}

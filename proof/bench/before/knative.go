// SPDX-License-Identifier: Apache-2.0

package before

import "knative.dev/pkg/apis"

var serviceConditions = apis.NewLivingConditionSet("ConfigurationsReady", "RoutesReady")

// Service reports with Knative's conditions.
func Service(status apis.ConditionsAccessor, revision string, revisionError error, migrating bool) {
	m := serviceConditions.Manage(status)
	m.InitializeConditions()
	switch {
	case revisionError != nil:
		m.MarkFalse("ConfigurationsReady", "RevisionFailed", "%s", revisionError)
	case revision == "":
		m.MarkUnknown("ConfigurationsReady", "RevisionMissing", "no revision yet")
	default:
		m.MarkTrue("ConfigurationsReady")
	}
	if migrating {
		m.MarkUnknown("RoutesReady", "TrafficNotMigrated", "traffic is not at %s", revision)
	} else {
		m.MarkTrue("RoutesReady")
	}
}

// SPDX-License-Identifier: Apache-2.0

package migrate

import "github.com/tristate/tristate/examples/migrate/service"

// Service has the facts about a service.
type Service struct {
	Revision      string // the latest one; empty: none yet
	RevisionError error
	Migrating     bool // traffic still goes to an older one
}

// JudgeService reports the conditions that the code with Knative's library reported.
func JudgeService(p *service.Pass, s Service) {
	switch {
	case s.RevisionError != nil:
		p.ConfigurationsReady.RevisionFailed("%v", s.RevisionError)
	case s.Revision == "":
		p.ConfigurationsReady.RevisionMissing()
	default:
		p.ConfigurationsReady.Ready()
	}
	if s.Migrating {
		p.RoutesReady.TrafficNotMigrated("traffic is not at %s", s.Revision)
	} else {
		p.RoutesReady.Ready()
	}
}

// SPDX-License-Identifier: Apache-2.0

package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

// golangci-lint finds a module plugin by its registration.
func init() { register.Plugin("tristate", New) }

// plugin is the linter of one configuration.
type plugin struct{ Settings }

// New returns the linter for its settings in the configuration of golangci-lint.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	return &plugin{s}, err
}

// BuildAnalyzers implements register.LinterPlugin.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{NewAnalyzer(p.Settings)}, nil
}

// GetLoadMode implements register.LinterPlugin: the checks load the packages themselves.
func (p *plugin) GetLoadMode() string { return register.LoadModeSyntax }

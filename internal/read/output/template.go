// SPDX-License-Identifier: Apache-2.0

package output

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"
)

// ErrFormat is the error of an output format that is neither a path nor a template.
var ErrFormat = errors.New("not among the formats")

// TemplatePrinter returns the printer of a format of kubectl: jsonpath, jsonpath-as-json, jsonpath-file, go-template, go-template-file,
// each followed by = and its argument, unless template is the argument. With missingKeys nothing is printed for what an object does not
// have.
func TemplatePrinter(format, template string, missingKeys bool) (printers.ResourcePrinter, error) {
	kind := format
	if template == "" {
		kind, template, _ = strings.Cut(format, "=")
	}
	path := false
	switch kind {
	case "jsonpath", "jsonpath-as-json", "jsonpath-file":
		path = true
	case "template", "go-template", "templatefile", "go-template-file":
	default:
		return nil, ErrFormat
	}
	if template == "" {
		return nil, errors.New("template format specified but no template given")
	}
	if strings.HasSuffix(kind, "file") {
		data, err := os.ReadFile(template)
		if err != nil {
			return nil, fmt.Errorf("error reading --template %s, %w", template, err)
		}
		template = string(data)
	}
	if path {
		p, err := printers.NewJSONPathPrinter(template)
		if err != nil {
			return nil, fmt.Errorf("error parsing jsonpath %s, %w", template, err)
		}
		p.AllowMissingKeys(missingKeys)
		p.EnableJSONOutput(kind == "jsonpath-as-json")
		return p, nil
	}
	p, err := printers.NewGoTemplatePrinter([]byte(template))
	if err != nil {
		return nil, fmt.Errorf("error parsing template %s, %w", template, err)
	}
	p.AllowMissingKeys(missingKeys)
	return p, nil
}

// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// Formats are the machine-readable output formats of every command that lists objects, as -o takes them. Those that end in "=" take an
// argument. A path or template reads the [render.VerdictList], a custom column one [render.Item].
var Formats = []string{"json", "jsonl", "yaml", "name", "tsv", "custom-columns=", "custom-columns-file=", "jsonpath=", "jsonpath-as-json=",
	"jsonpath-file=",
	"go-template=", "go-template-file="}

// Printer writes items in one format. It may be called again with more of them: headers are written once.
// Problems are part of json, jsonl, yaml and of the document that paths and templates read.
type Printer func(w io.Writer, items iter.Seq[render.Item], problems ...render.Problem) error

// NewPrinter returns the printer of an output format.
func NewPrinter(format string, noHeaders bool) (Printer, error) {
	switch format {
	case "json":
		return render.JSON, nil
	case "jsonl":
		return render.JSONL, nil
	case "yaml":
		return func(w io.Writer, items iter.Seq[render.Item], problems ...render.Problem) error {
			data, err := yaml.Marshal(render.NewVerdictList(collect(items), problems))
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		}, nil
	case "name":
		return names, nil
	case "tsv":
		return tsv(noHeaders), nil
	}
	if kind, spec, found := strings.Cut(format, "="); found && strings.HasPrefix(kind, "custom-columns") {
		return newCustomColumns(kind, spec, noHeaders)
	}
	printer, err := TemplatePrinter(format, "", true)
	if errors.Is(err, ErrFormat) {
		return nil, fmt.Errorf("%q is not among the formats", format)
	} else if err != nil {
		return nil, err
	}
	return func(w io.Writer, items iter.Seq[render.Item], problems ...render.Problem) error {
		object, err := unstructuredList(collect(items), problems)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := printer.PrintObj(object, &b); err != nil {
			return err
		}
		if b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte('\n')
		}
		_, err = b.WriteTo(w)
		return err
	}, nil
}

// collect returns items as a list, which is never nil.
func collect(items iter.Seq[render.Item]) []render.Item {
	return slices.AppendSeq([]render.Item{}, items)
}

// unstructuredList returns a [render.VerdictList] in the form that kubectl's printers take.
func unstructuredList(items []render.Item, problems []render.Problem) (runtime.Object, error) {
	content, err := plainValue(render.NewVerdictList(items, problems))
	return &unstructured.Unstructured{Object: content}, err
}

// plainValue returns a value decoded from its JSON, with whole numbers as int64.
func plainValue(value any) (content map[string]any, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return content, utiljson.Unmarshal(data, &content)
}

// names prints kind.group/name, as kubectl takes it back.
func names(w io.Writer, items iter.Seq[render.Item], _ ...render.Problem) error {
	printer := &printers.NamePrinter{}
	out := bufio.NewWriter(w)
	for item := range items {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion(item.Object.APIVersion)
		u.SetKind(item.Object.Kind)
		u.SetName(item.Object.Name)
		if err := printer.PrintObj(u, out); err != nil {
			return err
		}
	}
	return out.Flush()
}

// tsvFields are the columns of -o tsv; scripts rely on their order, new ones go to the end.
var tsvFields = []struct {
	title string
	of    func(render.Item) string
}{
	{"NAMESPACE", func(i render.Item) string { return i.Object.Namespace }},
	{"KIND", func(i render.Item) string { return i.Object.Kind }},
	{"NAME", func(i render.Item) string { return i.Object.Name }},
	{"VERDICT", func(i render.Item) string { return string(i.Verdict) }},
	{"READY", func(i render.Item) string { return strconv.FormatBool(i.Ready) }},
	{"SINCE", func(i render.Item) string {
		if i.Since == nil {
			return ""
		}
		return i.Since.Format(time.RFC3339)
	}},
	{"TYPE", func(i render.Item) string { return i.Type }},
	{"REASON", func(i render.Item) string { return i.Reason }},
	{"MESSAGE", func(i render.Item) string { return i.Message }},
	{"APIVERSION", func(i render.Item) string { return i.Object.APIVersion }},
	{"CONTEXT", func(i render.Item) string { return i.Context }},
}

// tsv prints a line for each item, its fields separated by tabs; a field holds neither tabs nor line ends.
func tsv(noHeaders bool) Printer {
	header := !noHeaders
	return func(w io.Writer, items iter.Seq[render.Item], _ ...render.Problem) error {
		b := bufio.NewWriter(w)
		if header {
			header = false
			for n, f := range tsvFields {
				if n > 0 {
					_ = b.WriteByte('\t') // errors are those of Flush
				}
				_, _ = b.WriteString(f.title)
			}
			_ = b.WriteByte('\n')
		}
		for item := range items {
			for n, f := range tsvFields {
				if n > 0 {
					_ = b.WriteByte('\t') // errors are those of Flush
				}
				_, _ = b.WriteString(render.Line(f.of(item)))
			}
			_ = b.WriteByte('\n')
		}
		return b.Flush()
	}
}

// customColumn is HEADER:.path of -o custom-columns.
type customColumn struct {
	header string
	path   *jsonpath.JSONPath
}

// newCustomColumns returns a printer of columns as kubectl prints them: HEADER:.path,... with paths into one item, and <none> for no value.
func newCustomColumns(kind, spec string, noHeaders bool) (Printer, error) {
	var columns []customColumn
	headers, paths, err := columnSpecs(kind, spec)
	if err != nil {
		return nil, err
	}
	for i, header := range headers {
		path := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(paths[i]), "{"), "}")
		p := jsonpath.New(header).AllowMissingKeys(true)
		if err := p.Parse("{." + strings.TrimPrefix(path, ".") + "}"); err != nil {
			return nil, fmt.Errorf("custom column %s: %w", header, err)
		}
		columns = append(columns, customColumn{header, p})
	}
	return func(w io.Writer, items iter.Seq[render.Item], _ ...render.Problem) error {
		out := printers.GetNewTabWriter(w)
		line := make([]string, len(columns))
		if !noHeaders {
			for i, c := range columns {
				line[i] = c.header
			}
			fmt.Fprintln(out, strings.Join(line, "\t"))
			noHeaders = true
		}
		for item := range items {
			content, err := plainValue(item)
			if err != nil {
				return err
			}
			for i, c := range columns {
				if line[i], err = c.value(content); err != nil {
					return err
				}
			}
			fmt.Fprintln(out, strings.Join(line, "\t"))
		}
		return out.Flush()
	}, nil
}

func (c customColumn) value(content any) (string, error) {
	found, err := c.path.FindResults(content)
	if err != nil {
		return "", fmt.Errorf("custom column %s: %w", c.header, err)
	}
	var values []string
	for _, list := range found {
		for _, v := range list {
			if v.IsValid() && v.CanInterface() && v.Interface() != nil {
				values = append(values, render.Line(text(v.Interface())))
			}
		}
	}
	if len(values) == 0 {
		return "<none>", nil
	}
	return strings.Join(values, ","), nil
}

// text returns a value for a column: a string as it is, anything else in JSON.
func text(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// columnSpecs reads HEADER:.path,... or, from a file, a line of headers and a line of paths.
func columnSpecs(kind, spec string) (headers, paths []string, err error) {
	switch kind {
	case "custom-columns":
		for _, part := range strings.Split(spec, ",") {
			header, path, ok := strings.Cut(part, ":")
			if !ok || header == "" || path == "" {
				return nil, nil, fmt.Errorf("custom-columns takes HEADER:.path,..., and %q is not of that form", part)
			}
			headers, paths = append(headers, header), append(paths, path)
		}
		return headers, paths, nil
	case "custom-columns-file":
		return columnsFile(spec)
	}
	return nil, nil, errors.New(strconv.Quote(kind) + " is not among the formats")
}

// columnsFile reads the file of -o custom-columns-file: its first line has the headers, its second the paths, separated by blanks.
func columnsFile(name string) (headers, paths []string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	header, path, _ := strings.Cut(string(data), "\n")
	headers, paths = strings.Fields(header), strings.Fields(path)
	if len(headers) == 0 || len(headers) != len(paths) {
		return nil, nil, fmt.Errorf("%s: the first line needs as many headers (%d) as the second has paths (%d)", name, len(headers), len(paths))
	}
	return headers, paths, nil
}

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

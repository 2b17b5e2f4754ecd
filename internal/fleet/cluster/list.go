// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/tristate/tristate/internal/fleet/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	kjson "sigs.k8s.io/json"
)

// pageSize is large, so that the number of requests depends on the number of kinds and not of objects. A page that is cut, or that the
// server has no time for, is asked for again at half its size, but at no less than leastPage.
const pageSize, leastPage = 10000, 500

// List calls each for every object of a type in the namespace of c, once and as soon as it has come: an answer is decoded once, and never
// held whole.
func (c *Cluster) List(ctx context.Context, m *meta.RESTMapping, selector string, each func(*relation.Object)) *Error {
	namespace := c.namespaceOf(m)
	if err := c.list(ctx, m, namespace, selector, each); err != nil {
		return &Error{Verb: "list", Resource: m.Resource.GroupResource().String(), Namespace: namespace, Err: err}
	}
	return nil
}

func (c *Cluster) list(ctx context.Context, m *meta.RESTMapping, namespace, selector string, each func(*relation.Object)) error {
	path := []string{"apis", m.Resource.Group, m.Resource.Version}
	if m.Resource.Group == "" {
		path = []string{"api", m.Resource.Version}
	}
	if namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	next, size := "", pageSize
	came := map[string]bool{} // the objects of the page, by namespace and name
	for {
		r := c.raw.Get().AbsPath(append(path, m.Resource.Resource)...).SetHeader("Accept", "application/json").Param("limit",
			strconv.Itoa(size))
		if selector != "" {
			r = r.Param("labelSelector", selector)
		}
		if next != "" {
			r = r.Param("continue", next)
		}
		after := next
		body, err := r.Stream(ctx)
		if err == nil {
			next, err = readList(body, func(content map[string]any) {
				content["apiVersion"], content["kind"] = m.GroupVersionKind.ToAPIVersionAndKind()
				o := relation.FromContent(content)
				if name := o.Namespace + "/" + o.Name; !came[name] {
					came[name] = true
					each(o)
				}
			})
			body.Close()
		}
		switch {
		case err != nil && size/2 >= leastPage && ctx.Err() == nil && isTooLarge(err, len(came) > 0):
			size, next = size/2, after
			continue
		case err != nil || next == "":
			return err
		}
		clear(came)
	}
}

// isTooLarge reports whether a smaller page may be answered where a page failed: the server had no time for it, or its answer ended or was
// too slow after some objects came.
func isTooLarge(err error, came bool) bool {
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isTransport(err)
	return apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || came && ended
}

// readList calls each for every item of a list in JSON and returns its continue token. Numbers are those of an API client, and the managed
// fields are trimmed.
func readList(body io.Reader, each func(map[string]any)) (next string, err error) {
	d := kjson.NewDecoderCaseSensitivePreserveInts(bufio.NewReaderSize(body, 1<<16))
	if err := delimiter(d, '{'); err != nil {
		return "", err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", fmt.Errorf("read a list: %w", err)
		}
		switch key {
		case "metadata":
			var metadata struct {
				Continue string `json:"continue"`
			}
			if err := d.Decode(&metadata); err != nil {
				return "", fmt.Errorf("read a list: metadata: %w", err)
			}
			next = metadata.Continue
		case "items":
			if err := readItems(d, each); err != nil {
				return "", err
			}
		default:
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return "", fmt.Errorf("read a list: %v: %w", key, err)
			}
		}
	}
	return next, delimiter(d, '}')
}

func readItems(d kjson.Decoder, each func(map[string]any)) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("read a list: items: %w", err)
	}
	if t == nil {
		return nil // null
	}
	if t != json.Delim('[') {
		return fmt.Errorf("read a list: items is %v", t)
	}
	for n := 0; d.More(); n++ {
		var content map[string]any
		if err := d.Decode(&content); err != nil {
			return fmt.Errorf("read a list: items[%d]: %w", n, err)
		}
		if content == nil {
			continue
		}
		trimManaged(content)
		each(content)
	}
	return delimiter(d, ']')
}

func delimiter(d kjson.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err != nil {
		return fmt.Errorf("read a list: %w", err)
	}
	if t != want {
		return fmt.Errorf("read a list: %v where %v should be", t, want)
	}
	return nil
}

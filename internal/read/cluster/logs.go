// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"io"
	"strconv"

	"github.com/tristate/tristate/internal/read/relation"
)

// maxLog is how many bytes of a log are read.
const maxLog = 1 << 18

// Logs returns the last lines of the log of a container: of its run, or of the one before.
func (c *Cluster) Logs(ctx context.Context, pod relation.ID, container string, previous bool, lines int) ([]string, *Error) {
	body, err := c.raw.Get().AbsPath("api", "v1", "namespaces", pod.Namespace, "pods", pod.Name, "log").
		Param("container", container).Param("previous", strconv.FormatBool(previous)).Param("tailLines", strconv.Itoa(lines)).Stream(ctx)
	if err != nil {
		return nil, &Error{Verb: "get", Resource: "pods/log", Namespace: pod.Namespace, Name: pod.Name, Err: err}
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxLog))
	if err != nil {
		return nil, &Error{Verb: "get", Resource: "pods/log", Namespace: pod.Namespace, Name: pod.Name, Err: err}
	}
	var out []string
	for line := range bytes.Lines(data) {
		out = append(out, string(bytes.TrimRight(line, "\r\n")))
	}
	return out[max(len(out)-lines, 0):], nil
}

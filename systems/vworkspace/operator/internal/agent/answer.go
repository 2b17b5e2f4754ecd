// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// read reads the answer to a poll, a job at a time. A job that is larger than [MaxBody] keeps nothing but its id, and no other job waits
// for it. One whose id does not stand before that has none.
func (j *Jobs) read(r io.Reader) error {
	d := json.NewDecoder(r)
	for depth := 0; ; { // up to the list
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 0 {
				return nil // without jobs
			}
		case "jobs":
			if next, err := d.Token(); depth != 1 || err != nil || next == nil {
				return err
			} else if next != json.Delim('[') {
				return errMalformed
			}
			return j.list(bufio.NewReader(io.MultiReader(d.Buffered(), r)))
		}
	}
}

// list reads the elements of the list and its end.
func (j *Jobs) list(r *bufio.Reader) error {
	for len(j.Jobs) < maxJobs {
		text, whole, err := element(r)
		if err != nil || text == nil {
			return err
		}
		job := Job{tooLarge: !whole}
		if whole {
			err = json.Unmarshal(text, &job)
		} else {
			job.ID = idOf(text)
		}
		if err != nil {
			return fmt.Errorf("job %d: %w", len(j.Jobs), err)
		}
		j.Jobs = append(j.Jobs, job)
	}
	return nil
}

// element reads a value of a list, of which it keeps [MaxBody] bytes, and the comma or the bracket behind it; nil: the list is over.
func element(r *bufio.Reader) (text []byte, whole bool, err error) {
	whole = true
	for depth, quoted, escaped := 0, false, false; ; {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			return nil, false, errors.Join(errMalformed, err)
		case quoted:
			quoted, escaped = escaped || c != '"', !escaped && c == '\\'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == ']' && depth == 0:
			if len(bytes.TrimSpace(text)) == 0 {
				return nil, true, nil
			}
			return text, whole, r.UnreadByte() // the next element is the end
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 0 && len(bytes.TrimSpace(text)) > 0:
			return text, whole, nil
		case c == ',' && depth == 0:
			continue
		}
		if whole = whole && len(text) < MaxBody; whole {
			text = append(text, c)
		}
	}
}

// idOf returns the id of a job by its beginning; empty: it is not there.
func idOf(beginning []byte) (id string) {
	d := json.NewDecoder(bytes.NewReader(beginning))
	_, err := d.Token() // the brace
	for err == nil && id == "" {
		var key json.Token
		if key, err = d.Token(); key == "id" {
			err = d.Decode(&id)
		} else if err == nil {
			err = d.Decode(new(json.RawMessage))
		}
	}
	return id
}

// SPDX-License-Identifier: Apache-2.0

package digest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Profile lists the tools that may be called: one that is denied never, otherwise one that is allowed, or all where none is named.
type Profile struct {
	Tools struct {
		Allow []string `json:"allow"`
		Deny  []string `json:"deny"`
	} `json:"tools"`
}

// ParseProfile reads a profile: one YAML mapping with the key tools. An unknown or repeated key, a null and a second document are errors:
// whoever wrote them meant a rule, and a profile without rules allows every tool. An error begins with a verb, after "the profile".
func ParseProfile(data []byte) (*Profile, error) {
	data, err := single(data)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if yaml.Unmarshal(data, &content) != nil {
		return nil, errors.New("is not a YAML mapping")
	}
	if _, named := content["tools"]; !named {
		return nil, errors.New("has no key tools")
	}
	if at := null(content, ""); at != "" {
		return nil, fmt.Errorf("has a null at %s", strings.TrimPrefix(at, "."))
	}
	strict, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, fmt.Errorf("has a key twice: %w", err)
	}
	var p Profile
	decoder := json.NewDecoder(bytes.NewReader(strict))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return nil, fmt.Errorf("is not a list of tools: %w", err)
	}
	return &p, nil
}

// single returns the only document of a text that is not empty.
func single(data []byte) (only []byte, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		next, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("is not YAML: %w", err)
		}
		var content any
		if yaml.Unmarshal(next, &content) == nil && content == nil {
			continue
		}
		if only != nil {
			return nil, errors.New("has more than one YAML document")
		}
		only = next
	}
	if only == nil {
		return nil, errors.New("is empty")
	}
	return only, nil
}

// null returns the path of the first null below a value; empty without one.
func null(value any, at string) string {
	switch value := value.(type) {
	case nil:
		return at
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if found := null(value[key], at+"."+key); found != "" {
				return found
			}
		}
	case []any:
		for i, child := range value {
			if found := null(child, fmt.Sprintf("%s[%d]", at, i)); found != "" {
				return found
			}
		}
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tristate/tristate/systems/kars/operator/internal/router"
)

// Limits.
const (
	MaxCases  = 512
	MaxRepeat = 100

	// Default is the builtin corpus of an evaluation that names none.
	Default = "jailbreak-baseline"
)

//go:embed builtin/*.json
var builtin embed.FS

// Corpus is a list of cases.
type Corpus struct {
	SchemaVersion string `json:"schemaVersion"`
	Name          string `json:"name"`
	Cases         []Case `json:"cases"`
}

// Case is a scenario and the expected decision.
type Case struct {
	ID       string   `json:"id"`
	Tags     []string `json:"tags,omitempty"`
	Scenario Scenario `json:"scenario"`
	Expect   Expect   `json:"expect"`
}

// Scenario is a call of an agent, once or several times.
type Scenario struct {
	router.Scenario
	Repeat int `json:"repeat,omitempty"`
}

// Expect has the expected decisions; an empty field expects nothing.
type Expect struct {
	Decision            string `json:"decision,omitempty"`
	DecisionAtLeastSome string `json:"decisionAtLeastSome,omitempty"`
	ByPolicyKind        string `json:"byPolicyKind,omitempty"`
	ReasonContains      string `json:"reasonContains,omitempty"`
}

// Builtin returns the bytes of a builtin corpus, and whether there is one of the name.
func Builtin(name string) ([]byte, bool) {
	body, err := builtin.ReadFile("builtin/" + name + ".json")
	return body, err == nil
}

// Digest returns the digest of the bytes of a corpus.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Parse reads a corpus strictly.
func Parse(body []byte) (Corpus, error) {
	var c Corpus
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, fmt.Errorf("the corpus is malformed: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("the corpus is malformed: something follows it")
	}
	switch {
	case c.SchemaVersion != "v1":
		return c, fmt.Errorf("schemaVersion %q is not v1", c.SchemaVersion)
	case len(c.Cases) == 0:
		return c, errors.New("the corpus has no case")
	case len(c.Cases) > MaxCases:
		return c, fmt.Errorf("the corpus has %d cases, at most %d are allowed", len(c.Cases), MaxCases)
	}
	seen := map[string]bool{}
	for i, one := range c.Cases {
		switch {
		case one.ID == "" || seen[one.ID]:
			return c, fmt.Errorf("cases[%d]: the id %q is empty or there twice", i, one.ID)
		case one.Expect == Expect{}:
			return c, fmt.Errorf("cases[%d]: nothing is expected", i)
		case one.Scenario.Repeat < 0 || one.Scenario.Repeat > MaxRepeat:
			return c, fmt.Errorf("cases[%d]: repeat is not between 0 and %d", i, MaxRepeat)
		}
		seen[one.ID] = true
	}
	return c, nil
}

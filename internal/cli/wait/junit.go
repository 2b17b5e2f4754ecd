// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/internal/fleet/wait"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitFault `xml:"failure,omitempty"`
	Error   *junitFault `xml:"error,omitempty"`
	Skipped *junitFault `xml:"skipped,omitempty"`
}

type junitFault struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// junit returns a report with a test case for each object: failed if it is not met, an error if it cannot be judged or read, skipped if the
// wait was over without it. A wait that failed without such an object has a case of its own.
func junit(items []*item, nodes []*relation.Node, out outcomeJSON) []byte {
	s := junitSuite{Name: "tristate wait", Time: fmt.Sprintf("%.3f", out.Seconds)}
	for n, i := range items {
		c := junitCase{Class: i.Kind, Name: i.Name}
		if i.Namespace != "" {
			c.Name = i.Namespace + "/" + i.Name
		}
		fault := &junitFault{Type: string(nodes[n].Judgement.Verdict), Message: render.Detail(nodes[n].Judgement)}
		var b strings.Builder
		if render.Because(&b, nodes[n], render.Options{}) == nil {
			fault.Text = strings.TrimSpace(b.String())
		}
		switch {
		case i.state == wait.Met:
		case out.Outcome == wait.Reached:
			c.Skipped = fault
			s.Skipped++
		case i.state == wait.Unknown || i.state == wait.Hidden:
			c.Error = fault
			s.Errors++
		default:
			c.Failure = fault
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	if out.Outcome != wait.Reached && s.Failures+s.Errors == 0 {
		s.Cases = append(s.Cases, junitCase{Class: "wait", Name: "outcome", Error: &junitFault{Type: string(out.Outcome), Message: out.Message}})
		s.Errors++
	}
	s.Tests = len(s.Cases)
	data, err := xml.MarshalIndent(s, "", " ")
	if err != nil {
		return nil
	}
	return append([]byte(xml.Header), append(data, '\n')...)
}

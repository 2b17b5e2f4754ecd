// SPDX-License-Identifier: Apache-2.0

package exportcheck

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// query is an expression of PromQL, as far as the checks need it: selectors with their matchers, numbers, calls and operators. Modifiers,
// ranges and offsets are read and dropped (https://prometheus.io/docs/prometheus/latest/querying/basics/).
type query struct {
	op       string // selector, number, call, or the operator
	name     string // of the metric or function
	number   float64
	matchers []matcher
	args     []*query
}

// matcher is a condition on a label.
type matcher struct {
	label, op, value string
	re               *regexp.Regexp // with =~ and !~
}

// matches reports whether a value of the label is selected.
func (m matcher) matches(value string) bool {
	switch m.op {
	case "=":
		return value == m.value
	case "!=":
		return value != m.value
	case "=~":
		return m.re.MatchString(value)
	}
	return !m.re.MatchString(value)
}

// Bounds of an expression.
const (
	maxQuery   = 64 << 10 // bytes
	maxNesting = 100      // levels
)

var (
	token = regexp.MustCompile(
		"^(?:\\s+|#[^\n]*)*(\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|=~|!~|==|!=|<=|>=|[0-9][0-9A-Za-z_.]*|[A-Za-z_:][A-Za-z0-9_:.]*|.)")
	aggregators = strings.Fields("sum min max avg group stddev stdvar count count_values bottomk topk quantile limitk limit_ratio")
	precedence  = []map[string]bool{set("or"), set("and unless"), set("== != <= < >= >"), set("+ -"), set("* / % atan2"), set("^")}
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

type queryParser struct {
	tokens []string
	depth  int
}

var errQuery = errors.New("not an expression of PromQL")

// parseQuery reads an expression in bounded time.
func parseQuery(text string) (*query, error) {
	if len(text) > maxQuery {
		return nil, fmt.Errorf("%d bytes, more than %d", len(text), maxQuery)
	}
	p := &queryParser{}
	for rest := text; strings.TrimSpace(rest) != ""; {
		m := token.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		p.tokens = append(p.tokens, rest[m[2]:m[3]])
		rest = rest[m[1]:]
	}
	q, err := p.binary(0)
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("%w: unexpected %q", errQuery, p.tokens[0])
	}
	return q, err
}

func (p *queryParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *queryParser) next() string {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *queryParser) expect(t string) error {
	if got := p.next(); got != t {
		return fmt.Errorf("%w: %q where %q is expected", errQuery, got, t)
	}
	return nil
}

func (p *queryParser) binary(level int) (*query, error) {
	if level == len(precedence) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	for err == nil && precedence[level][strings.ToLower(p.peek())] {
		op := strings.ToLower(p.next())
		for slices.Contains([]string{"bool", "on", "ignoring", "group_left", "group_right"}, strings.ToLower(p.peek())) {
			if p.next(); p.peek() == "(" {
				p.skip("(", ")")
			}
		}
		var right *query
		right, err = p.binary(level + 1)
		left = &query{op: op, args: []*query{left, right}}
	}
	return left, err
}

func (p *queryParser) unary() (*query, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, fmt.Errorf("nested more than %d levels deep", maxNesting)
	}
	defer func() { p.depth-- }()
	if p.peek() == "-" || p.peek() == "+" {
		sign := p.next()
		q, err := p.unary()
		if err == nil && sign == "-" {
			q = &query{op: "call", name: "-", number: -q.number, args: []*query{q}}
			if q.args[0].op == "number" {
				q.op = "number"
			}
		}
		return q, err
	}
	q, err := p.primary()
	for err == nil && slices.Contains([]string{"[", "offset", "@"}, strings.ToLower(p.peek())) { // a range, an offset, a time
		switch p.next() {
		case "[":
			p.tokens = append([]string{"["}, p.tokens...)
			p.skip("[", "]")
		default:
			if t := p.next(); t == "-" {
				p.next()
			}
			if p.peek() == "(" {
				p.skip("(", ")")
			}
		}
	}
	return q, err
}

// skip drops the text in brackets.
func (p *queryParser) skip(open, end string) {
	for depth := 0; len(p.tokens) > 0; {
		switch p.next() {
		case open:
			depth++
		case end:
			depth--
		}
		if depth == 0 {
			return
		}
	}
}

func (p *queryParser) primary() (*query, error) {
	t := p.next()
	switch {
	case t == "":
		return nil, fmt.Errorf("%w: it ends too early", errQuery)
	case t == "(":
		q, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return q, p.expect(")")
	case t == "{":
		p.tokens = append([]string{"{"}, p.tokens...)
		return p.selector("")
	case strings.Contains("\"'`", t[:1]):
		return &query{op: "string", name: t}, nil
	case t[0] >= '0' && t[0] <= '9':
		n, err := strconv.ParseFloat(t, 64)
		if err != nil {
			return &query{op: "string", name: t}, nil // a duration
		}
		return &query{op: "number", number: n}, nil
	case !regexp.MustCompile(`^[A-Za-z_:]`).MatchString(t):
		return nil, fmt.Errorf("%w: unexpected %q", errQuery, t)
	}
	by := func() {
		if w := strings.ToLower(p.peek()); w == "by" || w == "without" {
			p.next()
			p.skip("(", ")")
		}
	}
	if slices.Contains(aggregators, strings.ToLower(t)) {
		by()
	}
	if p.peek() != "(" {
		return p.selector(t)
	}
	p.next()
	q := &query{op: "call", name: strings.ToLower(t)}
	for p.peek() != ")" {
		arg, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		q.args = append(q.args, arg)
		if p.peek() != "," {
			break
		}
		p.next()
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	by()
	return q, nil
}

func (p *queryParser) selector(name string) (*query, error) {
	q := &query{op: "selector", name: name}
	if p.peek() != "{" {
		return q, nil
	}
	p.next()
	for p.peek() != "}" {
		label := unquote(p.next())
		if p.peek() == "," || p.peek() == "}" { // {"name"}
			q.name = label
		} else {
			m := matcher{label: label, op: p.next()}
			m.value = unquote(p.next())
			switch m.op {
			case "=", "!=":
			case "=~", "!~":
				var err error
				if m.re, err = regexp.Compile("^(?s:" + m.value + ")$"); err != nil {
					return nil, fmt.Errorf("%w: %w", errQuery, err)
				}
			default:
				return nil, fmt.Errorf("%w: unexpected %q", errQuery, m.op)
			}
			q.matchers = append(q.matchers, m)
		}
		if p.peek() != "," {
			break
		}
		p.next()
	}
	return q, p.expect("}")
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == '\'' {
		s = `"` + strings.ReplaceAll(strings.ReplaceAll(s[1:len(s)-1], `\'`, `'`), `"`, `\"`) + `"`
	}
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return s
}

// selectors returns the selectors of an expression, in order.
func (q *query) selectors() []*query {
	if q.op == "selector" {
		return []*query{q}
	}
	var out []*query
	for _, arg := range q.args {
		out = append(out, arg.selectors()...)
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"errors"
	"net/url"
	"regexp"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apimachinery/pkg/api/resource"
	kubernetes "k8s.io/apiserver/pkg/cel"
)

// kubernetesLibrary has the functions of Kubernetes for lists, regular expressions, URLs, quantities and semantic versions, with their
// signatures and results. The package of the API server that declares them, k8s.io/apiserver/pkg/cel/library, also imports its feature
// gates, metrics and traces: 37 packages, for which reason only the types come from there. A test holds both to the same results.
type kubernetesLibrary struct{}

// LibraryName is a method of cel.SingletonLibrary.
func (kubernetesLibrary) LibraryName() string { return "tristate.kubernetes" }

// ProgramOptions is a method of cel.Library: a constant pattern is compiled once.
func (kubernetesLibrary) ProgramOptions() []cel.ProgramOption {
	once := func(function string) *interpreter.RegexOptimization {
		return &interpreter.RegexOptimization{Function: function, RegexIndex: 1,
			Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
				compiled, err := regexp.Compile(pattern)
				if err != nil {
					return nil, err
				}
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
					return search(function == "findAll", func(string) (*regexp.Regexp, error) { return compiled, nil }, args)
				}), nil
			}}
	}
	return []cel.ProgramOption{cel.OptimizeRegex(once("find"), once("findAll"))}
}

// CompileOptions is a method of cel.Library.
func (kubernetesLibrary) CompileOptions() []cel.EnvOption {
	text, number, truth := cel.StringType, cel.IntType, cel.BoolType
	quantity, version, address := kubernetes.QuantityType, kubernetes.SemverType, kubernetes.URLType
	a := cel.TypeParamType("A")
	out := []cel.EnvOption{
		method("indexOf", "list_a_index_of_int", number, cel.BinaryBinding(func(list, item ref.Val) ref.Val { return index(list, item, true) }),
			cel.ListType(a), a),
		method("lastIndexOf", "list_a_last_index_of_int", number,
			cel.BinaryBinding(func(list, item ref.Val) ref.Val { return index(list, item, false) }), cel.ListType(a), a),

		method("find", "string_find_string", text, searching(false), text, text),
		method("findAll", "string_find_all_string", cel.ListType(text), searching(true), text, text),
		method("findAll", "string_find_all_string_int", cel.ListType(text), searching(true), text, text, number),

		function("url", "string_to_url", address, unary(parseURL), text),
		function("isURL", "is_url_string", truth, unary(func(s string) ref.Val { return types.Bool(!types.IsError(parseURL(s))) }), text),
		method("getQuery", "url_get_query", cel.MapType(text, cel.ListType(text)), unary(query), address),

		function("quantity", "string_to_quantity", quantity, unary(parseQuantity), text),
		function("isQuantity", "is_quantity_string", truth, unary(func(s string) ref.Val { return types.Bool(!types.IsError(parseQuantity(s))) }),
			text),
		function("sign", "quantity_sign", number, unary(func(q *resource.Quantity) ref.Val { return types.Int(q.Sign()) }), quantity),
		method("asApproximateFloat", "quantity_get_float", cel.DoubleType,
			unary(func(q *resource.Quantity) ref.Val { return types.Double(q.AsApproximateFloat64()) }), quantity),
		method("asInteger", "quantity_get_int", number, unary(wholeNumber), quantity),
		method("isInteger", "quantity_is_integer", truth,
			unary(func(q *resource.Quantity) ref.Val { return types.Bool(!types.IsError(wholeNumber(q))) }), quantity),

		function("semver", "string_to_semver", version, unary(parseVersion), text),
		function("isSemver", "is_semver_string", truth, unary(func(s string) ref.Val { return types.Bool(!types.IsError(parseVersion(s))) }),
			text),
	}
	for name, part := range map[string]func(*url.URL) string{"getScheme": func(u *url.URL) string { return u.Scheme },
		"getHost":     func(u *url.URL) string { return u.Host },
		"getHostname": (*url.URL).Hostname, "getPort": (*url.URL).Port, "getEscapedPath": (*url.URL).EscapedPath} {
		out = append(out, method(name, "url_"+name, text, unary(func(u *url.URL) ref.Val { return types.String(part(u)) }), address))
	}
	for name, part := range map[string]func(semver.Version) uint64{"major": func(v semver.Version) uint64 { return v.Major },
		"minor": func(v semver.Version) uint64 { return v.Minor }, "patch": func(v semver.Version) uint64 { return v.Patch }} {
		out = append(out, method(name, "semver_"+name, number, unary(func(v semver.Version) ref.Val { return types.Int(part(v)) }), version))
	}
	for name, result := range map[string]func(order int) ref.Val{"compareTo": func(order int) ref.Val { return types.Int(order) },
		"isLessThan":    func(order int) ref.Val { return types.Bool(order < 0) },
		"isGreaterThan": func(order int) ref.Val { return types.Bool(order > 0) }} {
		returns := truth
		if name == "compareTo" {
			returns = number
		}
		out = append(out,
			method(name, "quantity_"+name, returns, binary(func(x, y *resource.Quantity) ref.Val { return result(x.Cmp(*y)) }), quantity, quantity),
			method(name, "semver_"+name, returns, binary(func(x, y semver.Version) ref.Val { return result(x.Compare(y)) }), version, version))
	}
	for name, change := range map[string]func(*resource.Quantity, resource.Quantity){"add": (*resource.Quantity).Add,
		"sub": (*resource.Quantity).Sub} {
		changed := func(x *resource.Quantity, y resource.Quantity) ref.Val {
			sum := x.DeepCopy()
			change(&sum, y)
			return kubernetes.Quantity{Quantity: &sum}
		}
		out = append(out,
			method(name, "quantity_"+name, quantity, binary(func(x, y *resource.Quantity) ref.Val { return changed(x, *y) }), quantity, quantity),
			method(name, "quantity_"+name+"_int", quantity, binary(func(x *resource.Quantity, n int64) ref.Val {
				return changed(x, *resource.NewQuantity(n, resource.DecimalExponent))
			}), quantity, number))
	}
	zeros := []ref.Val{types.Int(0), types.Uint(0), types.Double(0), types.Duration{}}
	for _, t := range []*cel.Type{number, cel.UintType, cel.DoubleType, cel.DurationType, truth, cel.TimestampType, text, cel.BytesType} {
		id, list := "list_"+t.String(), cel.ListType(t)
		out = append(out,
			method("isSorted", id+"_is_sorted", truth, cel.UnaryBinding(sorted), list),
			method("min", id+"_min", t, cel.UnaryBinding(func(v ref.Val) ref.Val { return extreme(v, "min", types.IntOne) }), list),
			method("max", id+"_max", t, cel.UnaryBinding(func(v ref.Val) ref.Val { return extreme(v, "max", types.IntNegOne) }), list))
		for _, zero := range zeros {
			if zero.Type().TypeName() == t.TypeName() {
				out = append(out, method("sum", id+"_sum", t, cel.UnaryBinding(func(v ref.Val) ref.Val { return sum(v, zero) }), list))
			}
		}
	}
	return out
}

// function declares a function, method one that is called on its first argument.
func function(name, id string, result *cel.Type, binding cel.OverloadOpt, arguments ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.Overload(id, arguments, result, binding))
}

func method(name, id string, result *cel.Type, binding cel.OverloadOpt, arguments ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(id, arguments, result, binding))
}

// unary and binary bind functions of Go values. An argument of another type has no overload.
func unary[T any](f func(T) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(v ref.Val) ref.Val {
		x, ok := v.Value().(T)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x)
	})
}

func binary[T, U any](f func(T, U) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		x, ok := v.Value().(T)
		y, also := w.Value().(U)
		if !ok || !also {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(x, y)
	})
}

func index(list, item ref.Val, first bool) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	found := types.Int(-1)
	size, _ := l.Size().(types.Int)
	for i := types.Int(0); i < size && (found < 0 || !first); i++ {
		if l.Get(i).Equal(item) == types.True {
			found = i
		}
	}
	return found
}

// each calls f for the items of a list until it returns a value, which is the result; nil if it never does.
func each(list ref.Val, f func(item ref.Val) ref.Val) ref.Val {
	iterable, ok := list.(traits.Iterable)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	for it := iterable.Iterator(); it.HasNext() == types.True; {
		if out := f(it.Next()); out != nil {
			return out
		}
	}
	return nil
}

func sorted(list ref.Val) ref.Val {
	var last traits.Comparer
	out := each(list, func(item ref.Val) ref.Val {
		comparable, ok := item.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(item)
		}
		if last != nil && last.Compare(item) == types.IntOne {
			return types.False
		}
		last = comparable
		return nil
	})
	if out == nil {
		return types.True
	}
	return out
}

// extreme returns the item whose comparison with no other is worse.
func extreme(list ref.Val, name string, worse ref.Val) ref.Val {
	var best traits.Comparer
	out := each(list, func(item ref.Val) ref.Val {
		comparable, ok := item.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(item)
		}
		if best == nil || best.Compare(item) == worse {
			best = comparable
		}
		return nil
	})
	if out != nil {
		return out
	}
	if value, ok := best.(ref.Val); ok {
		return value
	}
	return types.NewErr("%s called on empty list", name)
}

func sum(list, zero ref.Val) ref.Val {
	total := zero
	out := each(list, func(item ref.Val) ref.Val {
		adder, ok := total.(traits.Adder)
		if !ok {
			return types.MaybeNoSuchOverloadErr(total)
		}
		total = adder.Add(item)
		return nil
	})
	if out != nil {
		return out
	}
	return total
}

func searching(all bool) cel.OverloadOpt {
	return cel.FunctionBinding(func(args ...ref.Val) ref.Val { return search(all, regexp.Compile, args) })
}

// search finds the first match of a pattern in a text, or all, or as many as a third argument says.
func search(all bool, compile func(string) (*regexp.Regexp, error), args []ref.Val) ref.Val {
	text, ok := args[0].Value().(string)
	pattern, also := args[1].Value().(string)
	if !ok || !also {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	compiled, err := compile(pattern)
	if err != nil {
		return types.NewErr("Illegal regex: %v", err)
	}
	if !all {
		return types.String(compiled.FindString(text))
	}
	limit := int64(-1)
	if len(args) > 2 {
		if limit, ok = args[2].Value().(int64); !ok {
			return types.MaybeNoSuchOverloadErr(args[2])
		}
	}
	return types.NewStringList(types.DefaultTypeAdapter, compiled.FindAllString(text, int(limit)))
}

// parseURL takes absolute URLs only. The second parse is for fragments, which the first takes for a part of the path or the query.
func parseURL(s string) ref.Val {
	_, err := url.ParseRequestURI(s)
	var u *url.URL
	if err == nil {
		u, err = url.Parse(s)
	}
	if err != nil {
		return types.NewErr("URL parse error during conversion from string: %v", err)
	}
	return kubernetes.URL{URL: u}
}

func query(u *url.URL) ref.Val {
	out := map[ref.Val]ref.Val{}
	for key, values := range u.Query() {
		out[types.String(key)] = types.NewStringList(types.DefaultTypeAdapter, values)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, out)
}

func parseQuantity(s string) ref.Val {
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return types.WrapErr(err)
	}
	return kubernetes.Quantity{Quantity: &q}
}

func wholeNumber(q *resource.Quantity) ref.Val {
	n, ok := q.AsInt64()
	if !ok {
		return types.WrapErr(errors.New("cannot convert value to integer"))
	}
	return types.Int(n)
}

func parseVersion(s string) ref.Val {
	v, err := semver.Parse(s)
	if err != nil {
		return types.WrapErr(err)
	}
	return kubernetes.Semver{Version: v}
}

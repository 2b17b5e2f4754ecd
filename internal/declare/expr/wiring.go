// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/tristate/tristate/internal/declare/nested"
)

// wiringLibrary has the functions that conditions about the wiring of objects need and CEL lacks; see the documentation of the package.
func wiringLibrary() []cel.EnvOption {
	return []cel.EnvOption{
		function("addresses", "tristate_addresses", cel.ListType(cel.DynType), unary(func(pod map[string]any) ref.Val {
			return addressValue(Addresses(pod))
		}), cel.DynType),
		function("addressesIn", "tristate_addresses_in", cel.ListType(cel.DynType), binary(func(pod map[string]any, configs []any) ref.Val {
			return addressValue(addressesIn(pod, configs))
		}), cel.DynType, cel.ListType(cel.DynType)),
		function("portFaults", "tristate_port_faults", cel.ListType(cel.DynType), unary(func(pod map[string]any) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(portFaults(pod))
		}), cel.DynType),
		function("unfit", "tristate_unfit", cel.StringType, binary(func(claim, volume map[string]any) ref.Val {
			return types.String(unfit(claim, volume))
		}), cel.DynType, cel.DynType),
		function("certificate", "tristate_certificate", cel.MapType(cel.StringType, cel.DynType), unary(func(secret map[string]any) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(certificate(secret))
		}), cel.DynType),
		function("containerPorts", "tristate_container_ports", cel.ListType(cel.DynType), unary(func(pods []any) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(containerPorts(pods))
		}), cel.DynType),
		function("serves", "tristate_serves", cel.BoolType, binary(func(pods, ports []any) ref.Val {
			return types.Bool(serves(pods, ports))
		}), cel.DynType, cel.DynType),
		function("nearest", "tristate_nearest", cel.StringType, binary(func(selector map[string]any, objects []any) ref.Val {
			return types.String(nearest(selector, objects))
		}), cel.DynType, cel.ListType(cel.DynType)),
		function("resembles", "tristate_resembles", cel.BoolType, binary(func(selector map[string]any, objects []any) ref.Val {
			return types.Bool(resembles(selector, objects))
		}), cel.DynType, cel.ListType(cel.DynType)),
	}
}

var (
	// inValue finds host:port and scheme://host in a text, each between separators.
	inValue = regexp.MustCompile(
		`(?:^|[\s,;=@"'(]|([a-z][a-z0-9+.-]*)://(?:[^@/\s]*@)?)([a-z](?:[-a-z0-9.]*[a-z0-9])?)(?::([0-9]{2,5}))?(?:$|[\s,;/"'?)])`)
	// inCommand finds the host, and the port, that commands wait for: nc -z HOST PORT, nslookup HOST, pg_isready -h HOST -p PORT.
	inCommand = regexp.MustCompile(`\b(?:(?:nc|ncat|netcat|telnet)\s+(?:-\S+\s+(?:[0-9]+\s+)?)*([a-z][-a-z0-9.]*[a-z0-9])\s+([0-9]{2,5})\b|` +
		`(?:nslookup|getent\s+hosts|dig)\s+(?:-\S+\s+)*([a-z][-a-z0-9.]*[a-z0-9])|` +
		`(?:pg_isready|psql|mysqladmin|mysql|redis-cli)\s(?:[^;|&]*\s)?` +
		`(?:-h|--host)[ =]?([a-z][-a-z0-9.]*[a-z0-9])(?:[^;|&]*\s(?:-p|-P|--port)[ =]?([0-9]{2,5}))?)`)
	// namesHost finds the names of variables whose value is a host.
	namesHost = regexp.MustCompile(`(?i)(?:^|[_.-]|^(?:pg|db|mysql|mongo|redis|kafka))(host|hostname|addr|address|endpoint|server)$`)
	// ordinal ends the name of a pod of a StatefulSet.
	ordinal = regexp.MustCompile(`-[0-9]+$`)
)

// mostAddresses is how many addresses of one pod are read.
const mostAddresses = 200

// Address is the address of a Service in the configuration of a container; Port is 0 where it has none.
type Address struct {
	Name, Namespace string
	Port            int64
	At, Text        string // where it is written, and the address as it is
}

// found collects the addresses in the configuration of a namespace.
type found struct {
	namespace string
	list      []Address
}

// add adds an address if its host can be a Service: NAME in the own namespace, NAME.NAMESPACE, NAME.NAMESPACE.svc, each also after a domain
// or the name of a pod of a StatefulSet. NAME.NAMESPACE may as well be a domain: it counts only where the namespace has Services.
func (f *found) add(host, port, at, text string) {
	words := strings.Split(host, ".")
	for i := 2; i < min(len(words), 4); i++ {
		if words[i] == "svc" {
			words = words[i-2 : i]
			break
		}
	}
	if len(words) == 2 && ordinal.MatchString(words[0]) && !strings.Contains(host, ".svc") {
		words = words[1:]
	}
	if len(words) > 2 || words[0] == "localhost" || len(f.list) == mostAddresses {
		return
	}
	namespace := f.namespace
	if len(words) == 2 {
		namespace = words[1]
	}
	number, _ := strconv.ParseInt(port, 10, 64)
	f.list = append(f.list, Address{words[0], namespace, number, at, text})
}

// read adds the addresses in a text; a text that is one host counts if it is that of a variable for hosts, and then port is its port.
func (f *found) read(at, text string, host bool, port string) {
	for _, m := range inValue.FindAllStringSubmatch(text, mostAddresses) {
		switch {
		case m[1] == "" && m[3] == "" && (!host || m[2] != text):
		case m[1] == "" && m[3] == "":
			f.add(m[2], port, at, strings.TrimSuffix(text+":"+port, ":"))
		default:
			f.add(m[2], m[3], at, strings.Trim(m[0], " \t\n,;=@\"'()"))
		}
	}
}

// variables adds the addresses in variables: a map of names to values, in the order of names. The port of DB_HOST may be in DB_PORT.
func (f *found) variables(at string, names []string, values map[string]string) {
	for _, name := range names {
		suffix, port := "", ""
		if m := namesHost.FindStringSubmatch(name); m != nil {
			suffix = m[1]
		}
		for _, other := range []string{"PORT", "port", "Port"} {
			if v := values[strings.TrimSuffix(name, suffix)+other]; suffix != "" && port == "" {
				port = v
			}
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			port = ""
		}
		f.read(at+name, values[name], suffix != "", port)
	}
}

// containers returns the containers of a pod, those first that initialize it.
func containers(pod map[string]any) []map[string]any {
	return slices.Concat(nested.Maps(pod, "spec", "initContainers"), nested.Maps(pod, "spec", "containers"))
}

// Addresses finds the addresses of Services in the environment, the commands and the arguments of the containers of a pod.
func Addresses(pod map[string]any) []Address {
	out := found{namespace: nested.Text(pod, "metadata", "namespace")}
	for _, c := range containers(pod) {
		where := fmt.Sprintf("container %v: ", c["name"])
		var names, words []string
		values := map[string]string{}
		for _, e := range nested.Maps(c, "env") {
			name := nested.Text(e, "name")
			names = append(names, name)
			values[name] = nested.Text(e, "value")
		}
		out.variables(where+"env ", names, values)
		for _, field := range []string{"command", "args"} {
			list, _ := c[field].([]any)
			for _, item := range list {
				text, _ := item.(string)
				out.read(where+field, text, false, "")
				words = append(words, text)
			}
		}
		for _, m := range inCommand.FindAllStringSubmatch(strings.Join(words, " "), mostAddresses) {
			out.add(m[1]+m[3]+m[4], m[2]+m[5], where+"command", m[0])
		}
	}
	return out.list
}

// addressesIn finds the addresses of Services in the values of ConfigMaps that a pod reads: in all values, or in those of the keys of which
// its variables are made. A value of one line is read as a variable with the name of its key; of a longer one only URLs and names that end
// with .svc or go on after it count, as other words before a colon are keys.
func addressesIn(pod map[string]any, configs []any) []Address {
	keys := keysOf(pod)
	var out []Address
	for _, item := range configs {
		config := nested.Map(item)
		name := nested.Text(config, "metadata", "name")
		in := found{namespace: nested.Text(config, "metadata", "namespace")}
		where, values := "ConfigMap/"+name+": ", map[string]string{}
		var short, long []string
		data := nested.Map(config, "data")
		for _, key := range slices.Sorted(maps.Keys(data)) {
			if keys[name] != nil && !keys[name][key] {
				continue
			}
			if values[key] = strings.TrimSpace(nested.Text(data, key)); strings.Contains(values[key], "\n") {
				long = append(long, key)
			} else {
				short = append(short, key)
			}
		}
		in.variables(where, short, values)
		for _, key := range long {
			for _, m := range inValue.FindAllStringSubmatch(values[key], mostAddresses) {
				if m[1] != "" || strings.Contains(m[2]+".", ".svc.") {
					in.add(m[2], m[3], where+key, strings.Trim(m[0], " \t\n,;=@\"'()"))
				}
			}
		}
		out = append(out, in.list...)
	}
	return out
}

// keysOf returns the keys of ConfigMaps of which variables of a pod are made, by ConfigMap; those that it reads as a whole are left out.
func keysOf(pod map[string]any) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	var whole []string
	for _, c := range containers(pod) {
		for _, e := range nested.Maps(c, "envFrom") {
			whole = append(whole, nested.Text(e, "configMapRef", "name"))
		}
		for _, e := range nested.Maps(c, "env") {
			name := nested.Text(e, "valueFrom", "configMapKeyRef", "name")
			if out[name] == nil {
				out[name] = map[string]bool{}
			}
			out[name][nested.Text(e, "valueFrom", "configMapKeyRef", "key")] = true
		}
	}
	for _, v := range nested.Maps(pod, "spec", "volumes") {
		whole = append(whole, nested.Text(v, "configMap", "name"))
	}
	for _, name := range whole {
		delete(out, name)
	}
	return out
}

// addressValue is a list of addresses in an expression.
func addressValue(addresses []Address) ref.Val {
	list := make([]any, 0, len(addresses))
	for _, a := range addresses {
		list = append(list, map[string]any{"name": a.Name, "namespace": a.Namespace, "port": a.Port, "at": a.At, "text": a.Text})
	}
	return types.DefaultTypeAdapter.NativeToValue(list)
}

// port is one that a container declares.
type port struct {
	name     string
	number   int64
	protocol string
}

// declares calls found for each port that the containers of pods declare, until it returns true, and reports whether it did.
func declares(pods []any, found func(port) bool) bool {
	for _, pod := range pods {
		for _, field := range [...]string{"containers", "initContainers"} {
			for _, c := range nested.List(pod, "spec", field) {
				for _, item := range nested.List(c, "ports") {
					if found(portOf(nested.Map(item), "containerPort")) {
						return true
					}
				}
			}
		}
	}
	return false
}

// portOf reads a port whose number is in a field.
func portOf(m map[string]any, field string) port {
	number, _ := m[field].(int64)
	return port{nested.Text(m, "name"), number, cmp.Or(nested.Text(m, "protocol"), "TCP")}
}

// containerPorts lists the different ports that the containers of pods declare: {name, number, protocol}.
func containerPorts(pods []any) []any {
	seen := map[port]bool{}
	out := []any{}
	declares(pods, func(p port) bool {
		if !seen[p] {
			seen[p] = true
			out = append(out, map[string]any{"name": p.name, "number": p.number, "protocol": p.protocol})
		}
		return false
	})
	return out
}

// serves reports whether the containers of pods declare what each port of a Service leads to, and it has one.
func serves(pods, ports []any) bool {
	for _, item := range ports {
		m := nested.Map(item)
		want := portOf(m, "port")
		name, named := m["targetPort"].(string)
		if number, ok := m["targetPort"].(int64); ok && number != 0 {
			want.number = number
		}
		if !declares(pods, func(p port) bool {
			return p.protocol == want.protocol && (named && p.name == name || !named && p.number == want.number)
		}) {
			return false
		}
	}
	return len(ports) > 0
}

// leastAlike is the part of a value or a name that another one has to begin with to be like it.
const leastAlike = 0.5

// resembles reports whether one of some objects has a label of a selector, or one with a value that begins alike, or a name that does.
func resembles(selector map[string]any, objects []any) bool {
	return slices.ContainsFunc(objects, func(item any) bool {
		name, labels := nested.Text(nested.Map(item), "metadata", "name"), labelsOf(item)
		for key, value := range selector {
			wanted := fmt.Sprint(value)
			its, there := labels[key]
			if wanted != "" && strings.HasPrefix(name+"-", wanted+"-") || there && alike(fmt.Sprint(its), wanted) >= leastAlike {
				return true
			}
		}
		return false
	})
}

// labelsOf returns the labels of an object or, of a workload, those of its pods.
func labelsOf(item any) map[string]any {
	o := nested.Map(item)
	if template := nested.Map(o, "spec", "template"); template != nil {
		o = template
	}
	return nested.Map(o, "metadata", "labels")
}

// nearest describes how the labels of the object that comes nearest to a selector differ from it. It is empty where none has a label of the
// selector, with any value.
func nearest(selector map[string]any, objects []any) string {
	keys := slices.Sorted(maps.Keys(selector))
	have := map[string]int{} // how many objects have the label: one that many have says little
	for _, item := range objects {
		for key, value := range labelsOf(item) {
			if value == selector[key] {
				have[key]++
			}
		}
	}
	best, text := 0.0, ""
	for _, item := range objects {
		labels := labelsOf(item)
		rank, differs := 0.0, []string(nil)
		for _, key := range keys {
			value, there := labels[key]
			switch {
			case there && value == selector[key]:
				rank += 2 + float64(len(objects))/float64(have[key])
				continue
			case there: // a value that begins alike is more likely to be meant
				rank += 1 + alike(fmt.Sprint(value), fmt.Sprint(selector[key]))
				differs = append(differs, fmt.Sprintf("has %s=%v, not %v", key, value, selector[key]))
			default:
				differs = append(differs, fmt.Sprintf("has no %s=%v", key, selector[key]))
			}
		}
		if rank > best {
			best, text = rank, fmt.Sprintf("%v/%v %s", nested.Map(item)["kind"], nested.At(item, "metadata", "name"), strings.Join(differs, " and "))
		}
	}
	return text
}

// alike returns which part of the longer of two texts is their common beginning.
func alike(a, b string) float64 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return float64(n) / float64(max(len(a), len(b), 1))
}

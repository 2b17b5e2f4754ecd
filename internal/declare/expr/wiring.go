// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// wiringLibrary has the functions that conditions about the wiring of objects need and CEL lacks; see the documentation of the package.
func wiringLibrary() []cel.EnvOption {
	return []cel.EnvOption{
		function("addresses", "tristate_addresses", cel.ListType(cel.DynType), unary(func(pod map[string]any) ref.Val {
			return addressValue(Addresses(pod))
		}), cel.DynType),
		function("addressesIn", "tristate_addresses_in", cel.ListType(cel.DynType), unary(func(configs []any) ref.Val {
			return addressValue(addressesIn(configs))
		}), cel.ListType(cel.DynType)),
		function("portFaults", "tristate_port_faults", cel.ListType(cel.DynType), unary(func(pod map[string]any) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(portFaults(pod))
		}), cel.DynType),
		function("unfit", "tristate_unfit", cel.StringType, cel.BinaryBinding(func(claim, volume ref.Val) ref.Val {
			c, ok := claim.Value().(map[string]any)
			v, also := volume.Value().(map[string]any)
			if !ok || !also {
				return types.MaybeNoSuchOverloadErr(claim)
			}
			return types.String(unfit(c, v))
		}), cel.DynType, cel.DynType),
		function("containerPorts", "tristate_container_ports", cel.ListType(cel.DynType), unary(func(pods []any) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(containerPorts(pods))
		}), cel.DynType),
		function("serves", "tristate_serves", cel.BoolType, cel.BinaryBinding(func(pods, ports ref.Val) ref.Val {
			list, ok := pods.Value().([]any)
			all, also := ports.Value().([]any)
			return types.Bool(ok && also && serves(list, all))
		}), cel.DynType, cel.DynType),
		function("nearest", "tristate_nearest", cel.StringType, cel.BinaryBinding(func(selector, objects ref.Val) ref.Val {
			set, ok := selector.Value().(map[string]any)
			list, also := objects.Value().([]any)
			if !ok || !also {
				return types.MaybeNoSuchOverloadErr(selector)
			}
			return types.String(nearest(set, list))
		}), cel.DynType, cel.ListType(cel.DynType)),
	}
}

var (
	// inValue finds host:port and scheme://host in a text, each between separators.
	inValue = regexp.MustCompile(
		`(?:^|[\s,;=@"'(]|([a-z][a-z0-9+.-]*)://(?:[^@/\s]*@)?)([a-z](?:[-a-z0-9.]*[a-z0-9])?)(?::([0-9]{2,5}))?(?:$|[\s,;/"'?)])`)
	// namesHost finds the names of variables whose value is a host.
	namesHost = regexp.MustCompile(`(?i)(^|_|-|\.)(host|hostname)$`)
)

// mostAddresses is how many addresses of one pod are read.
const mostAddresses = 200

// Address is the address of a Service in the configuration of a container; Port is 0 where it has none.
type Address struct {
	Name, Namespace string
	Port            int64
	At, Text        string // where it is written, and the address as it is
}

// found are the addresses of Services in some texts.
type found []Address

// read adds the addresses of a text in an object of a namespace. A host that ends with .svc or goes on after it is one of the form
// NAME.NAMESPACE.svc; one of a single word means a Service of the namespace if plain reports that its match is an address.
func (f *found) read(namespace, at, text string, plain func(m []string) bool) {
	for _, m := range inValue.FindAllStringSubmatch(text, mostAddresses) {
		words := strings.Split(m[2], ".")
		a := Address{Name: words[0], Namespace: namespace, At: at, Text: strings.Trim(m[0], " \t\n,;=@\"'()")}
		switch {
		case a.Name == "localhost" || len(*f) == mostAddresses:
			continue
		case len(words) >= 3 && words[2] == "svc":
			a.Namespace = words[1]
		case len(words) > 1 || !plain(m):
			continue
		}
		a.Port, _ = strconv.ParseInt(m[3], 10, 64)
		*f = append(*f, a)
	}
}

// Addresses finds the addresses of Services in the environment, the commands and the arguments of the containers of a pod. A host of one
// word counts with a scheme or a port, or if it is the value of a variable for a host.
func Addresses(pod map[string]any) []Address {
	metadata, _ := pod["metadata"].(map[string]any)
	spec, _ := pod["spec"].(map[string]any)
	own, _ := metadata["namespace"].(string)
	var out found
	read := func(at, text string, host bool) {
		out.read(own, at, text, func(m []string) bool { return m[1] != "" || m[3] != "" || host && m[2] == text })
	}
	for _, field := range []string{"initContainers", "containers"} {
		containers, _ := spec[field].([]any)
		for _, item := range containers {
			c, _ := item.(map[string]any)
			env, _ := c["env"].([]any)
			at := fmt.Sprintf("container %v: ", c["name"])
			for _, item := range env {
				e, _ := item.(map[string]any)
				name, _ := e["name"].(string)
				value, _ := e["value"].(string)
				read(at+"env "+name, value, namesHost.MatchString(name))
			}
			for _, field := range []string{"command", "args"} {
				list, _ := c[field].([]any)
				for _, item := range list {
					text, _ := item.(string)
					read(at+field, text, false)
				}
			}
		}
	}
	return out
}

// addressesIn finds the addresses of Services in the values of ConfigMaps; of hosts of one word only those of URLs count, as other words
// before a colon are keys.
func addressesIn(configs []any) []Address {
	var out found
	for _, item := range configs {
		config, _ := item.(map[string]any)
		metadata, _ := config["metadata"].(map[string]any)
		own, _ := metadata["namespace"].(string)
		data, _ := config["data"].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(data)) {
			text, _ := data[key].(string)
			for line := range strings.Lines(text) {
				out.read(own, fmt.Sprintf("ConfigMap/%v: %s", metadata["name"], key), line, func(m []string) bool { return m[1] != "" })
			}
		}
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
	for _, item := range pods {
		for _, field := range []string{"containers", "initContainers"} {
			containers, _ := at(mapOf(item), "spec", field).([]any)
			for _, c := range containers {
				ports, _ := mapOf(c)["ports"].([]any)
				for _, item := range ports {
					if found(portOf(mapOf(item), "containerPort")) {
						return true
					}
				}
			}
		}
	}
	return false
}

func mapOf(value any) map[string]any { m, _ := value.(map[string]any); return m }

// portOf reads a port whose number is in a field.
func portOf(m map[string]any, field string) port {
	p := port{protocol: "TCP"}
	p.name, _ = m["name"].(string)
	p.number, _ = m[field].(int64)
	if s, ok := m["protocol"].(string); ok && s != "" {
		p.protocol = s
	}
	return p
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
		m := mapOf(item)
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

// nearest describes how the labels of the object that comes nearest to a selector differ from it. It is empty where none has a label of the
// selector, with any value.
func nearest(selector map[string]any, objects []any) string {
	keys := slices.Sorted(maps.Keys(selector))
	labelsOf := func(item any) map[string]any {
		o, _ := item.(map[string]any)
		if template, ok := at(o, "spec", "template").(map[string]any); ok { // of a workload, those of its pods
			o = template
		}
		out, _ := at(o, "metadata", "labels").(map[string]any)
		return out
	}
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
		o, _ := item.(map[string]any)
		metadata, _ := o["metadata"].(map[string]any)
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
			best, text = rank, fmt.Sprintf("%v/%v %s", o["kind"], metadata["name"], strings.Join(differs, " and "))
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

// SPDX-License-Identifier: Apache-2.0

// Package expr compiles and runs the CEL expressions of catalogs.
//
// Variables: self (the object), item (a candidate for a relation, or a member of an aggregate), related.NAME (the object
// or list that a relation leads to) and variables.NAME. Which of them an expression may use is its [Scope].
//
// Functions, besides the CEL standard library, its strings and lists extensions, optionals and the Kubernetes lists, regex, URL and
// quantity libraries:
//
//	condition(object, 'Type')   the condition as a map with type, status, reason, message, severity; status is 'Unknown'
//	                            and the rest empty where the object does not report it; of several of one type
//	                            the worst counts (False, Unknown, True), whatever their order
//	now()                       the time of this pass; the object is not judged again when the answer changes: prefer after
//	after(timestamp, duration)  true once duration has passed since timestamp (a timestamp or an RFC 3339 string);
//	                            false where there is no timestamp. While false, the object is judged again at that instant.
//
//	addresses(pod)              the addresses of Services in the environment, commands and arguments of its containers, as maps with name,
//	                            namespace, port (0: none), at (where it is) and text
//	addressesIn(pod, configMaps) the same in the values of ConfigMaps that the pod reads
//	portFaults(pod)             ports of containers that are not ready and cannot be right, as maps with reason (PortTaken,
//	                            ProbePortNotFound, ProbeTooEarly, ProbeSchemeUnlikely)
//	                            and text
//	unfit(claim, volume)        why a volume cannot be bound to a claim; empty if it can
//	certificate(secret)         of the first certificate of a Secret of type kubernetes.io/tls: names (DNS), since and until (timestamps),
//	                            and keyed, whether its key is not that of another one; empty where none can be read
//	containerPorts(pods)        the different ports that the containers of a list of pods declare, as maps with name, number and protocol
//	serves(pods, ports)         true if the containers of a list of pods declare what each port of a Service leads to
//	refusals(pod)               why nodes take no such pod, as maps with node, rules and text, where nodes are known: in conditions that are
//	                            derived when an object is read
//	blocks(pod)                 the network policies that leave a pod without the way to a Service whose address it is given, or to DNS, as
//	                            maps with name, namespace and text, in the same conditions
//	backend(service)            the first of the pods that a Service selects, in a list, and one more if some have names that begin with that
//	                            of the Service and some have not, in the same conditions: with name, namespace and labels, and of its
//	                            containers name, image and ports
//	nearest(selector, objects)  how the labels of the object that comes nearest to a map of labels differ from it, of a workload those
//	                            of its pods; empty where none has one of these labels
//	resembles(selector, objects) true if one of them has a label of a map, or a value or a name that begins alike
//
// Reading a field that does not exist is an error that [IsMissing] recognises; its meaning is up to the caller.
//
// An expression has a budget, and so have all expressions that share a [Context], as those about one object do: a few milliseconds. One
// that would exceed it by far with lists of a moderate size does not compile; one that exceeds it when it is run fails with
// [ErrTooExpensive]. The cost is not counted of an expression that can cost no more than a few readings of its object, as one without
// nested loops: most are of that sort, and take a fraction of a microsecond.
package expr

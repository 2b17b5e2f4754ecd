// SPDX-License-Identifier: Apache-2.0

package conditions

// MaxClockSkew is how far ahead of the pass a stored time may be.
const MaxClockSkew = maxClockSkew

// Position returns the position of a type, by name or alias; -1: it is not declared.
func Position(k *Kind, name string) int { return k.find(name, 0) }

// Abnormal reports whether a commit computes the type from the classes of others.
func Abnormal(k *Kind, i int) bool { return k.abnormal(i) }

// Final reports whether a condition of the status moves no more.
func Final(l Lifecycle, s Status) bool { return l.final(s, "") }

// ClassOf returns the class of the error of a reconcile.
func ClassOf(err error) Class { return classOf(err) }

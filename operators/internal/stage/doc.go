// SPDX-License-Identifier: Apache-2.0

// Package stage is what the demos of the operators are played on: a step prints a sentence, changes an object as kubectl would, waits for a status,
// and runs the commands of tristate that a person would run.
//
//	s := &stage.Stage{API: api, Kubeconfig: file, Namespace: "team", Out: os.Stdout, Now: time.Now, Versions: map[string]string{"Gadget": "example.dev/v1"}}
//	s.Say("A gadget is made.")
//	err := s.Apply(ctx, "kind: Gadget\nmetadata: {name: one}")
//	err = s.Wait(ctx, "gadget/one")
//	s.Show(ctx, "tree", "gadget/one")
//
// Nothing waits for a fixed time but Pace, which is for people: a wait ends with the fact, or after [Patience] with an error.
// It is not for tests of operators; those use package world.
package stage

// SPDX-License-Identifier: Apache-2.0

// Package stage plays the demos of the operators: a [Demo] starts a control plane and an operator, and a [Story] goes on in steps. A step
// prints a sentence, changes an object as kubectl would, waits for a status, and runs the commands of tristate that a person would run.
//
//	var Demo = stage.Demo{Name: "gadget-demo", Namespaces: []string{"team"}, Versions: map[string]string{"Gadget": "example.dev/v1"},
//		CRDs: config.CRDs,
//		Scheme: operator.Scheme, Story: func(s *stage.Stage) stage.Story { return &story{s} }}
//
//	func (s *story) Chapters() []func(context.Context) { return []func(context.Context){s.begins} }
//
//	func (s *story) begins(ctx context.Context) error {
//		s.Say("A gadget is made.")
//		if err := s.Apply(ctx, "kind: Gadget\nmetadata: {name: one}"); err != nil {
//			return err
//		}
//		s.Show(ctx, "tree", "gadget/one")
//		return s.Wait(ctx, "gadget/one")
//	}
//
// Nothing waits for a fixed time but the pace of [Demo.Main], which is for people: a wait ends with the fact, or after [Patience] with an
// error. It is not for tests of operators: those use package world, which also has the test of a demo.
package stage

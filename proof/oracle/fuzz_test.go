// SPDX-License-Identifier: Apache-2.0

package oracle

import "testing"

func FuzzCAPIv1beta1(f *testing.F) { fuzz(f, CAPIv1beta1) }
func FuzzCAPIv1beta2(f *testing.F) { fuzz(f, CAPIv1beta2) }

// fuzz lets the fuzzer choose the operation with the first byte and the case with the others.
func fuzz(f *testing.F, operations []Operation) {
	for i := range operations {
		f.Add([]byte{byte(i)})
		f.Add([]byte{byte(i), 5, 1, 1, 0, 1, 3, 1, 2, 0, 0, 0, 4, 3, 2, 1, 0, 1, 1, 1, 1})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewSource(data)
		op := operations[s.N(len(operations))]
		if c := op.Run(s, nil); !c.Equal() {
			t.Errorf("%s differs from upstream:\n%s", op.Name, c)
		}
	})
}

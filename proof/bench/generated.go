// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/proof/bench/thing"
)

// generatedPass is ourPass with generated calls, on an object with metav1 conditions.
//
//go:noinline
func generatedPass() func() error {
	o := &object{}
	o.Generation = 3
	first := true
	return func() error {
		p := thing.Begin(o, moment)
		allWork(p)
		r := p.Commit()
		if r.Changed && !first {
			return errChanged
		}
		if first {
			o.v2 = wire.ToMeta(r.Conditions())
		}
		first = false
		return nil
	}
}

func allWork(p *thing.Pass) {
	p.Part00Ready.Working()
	p.Part01Ready.Working()
	p.Part02Ready.Working()
	p.Part03Ready.Working()
	p.Part04Ready.Working()
	p.Part05Ready.Working()
	p.Part06Ready.Working()
	p.Part07Ready.Working()
	p.Part08Ready.Working()
	p.Part09Ready.Working()
}

// SPDX-License-Identifier: Apache-2.0

package conditions

// pile hands out entries that keep their address. It grows by doubling, and uses its memory again after reset.
type pile[T any] struct {
	blocks [][]T
	block  int // the one in use
	used   int // entries of it
}

// smallest is the size of the first block.
const smallest = 8

func (p *pile[T]) next() *T {
	if p.block < len(p.blocks) && p.used == len(p.blocks[p.block]) {
		p.block, p.used = p.block+1, 0
	}
	if p.block == len(p.blocks) {
		p.blocks = append(p.blocks, make([]T, smallest<<p.block))
	}
	p.used++
	return &p.blocks[p.block][p.used-1]
}

// back takes back the entry that was handed out last.
func (p *pile[T]) back() {
	p.used--
	clear(p.blocks[p.block][p.used : p.used+1])
}

// reset takes back every entry, and keeps nothing alive that they refer to.
func (p *pile[T]) reset() {
	for i := range p.block {
		clear(p.blocks[i])
	}
	if p.block < len(p.blocks) {
		clear(p.blocks[p.block][:p.used])
	}
	p.block, p.used = 0, 0
}

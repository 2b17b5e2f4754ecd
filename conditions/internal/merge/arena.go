// SPDX-License-Identifier: Apache-2.0

package merge

// arena hands out entries that keep their address. It grows by doubling, and uses its memory again after reset.
type arena[T any] struct {
	blocks [][]T
	block  int // the one in use
	used   int // entries of it
}

// smallest is the size of the first block.
const smallest = 8

func (p *arena[T]) next() *T {
	if p.block < len(p.blocks) && p.used == len(p.blocks[p.block]) {
		p.block, p.used = p.block+1, 0
	}
	if p.block == len(p.blocks) {
		p.blocks = append(p.blocks, make([]T, smallest<<p.block))
	}
	p.used++
	return &p.blocks[p.block][p.used-1]
}

// back returns the entry that was handed out last.
func (p *arena[T]) back() {
	p.used--
	clear(p.blocks[p.block][p.used : p.used+1])
}

// reset returns every entry and drops its references.
func (p *arena[T]) reset() {
	for i := range p.block {
		clear(p.blocks[i])
	}
	if p.block < len(p.blocks) {
		clear(p.blocks[p.block][:p.used])
	}
	p.block, p.used = 0, 0
}

// SPDX-License-Identifier: Apache-2.0

package thing

//go:generate go run -C ../.. ./cmd/tristate gen go bench/thing/catalog.yaml --out bench/thing

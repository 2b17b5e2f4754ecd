// SPDX-License-Identifier: Apache-2.0

package thing

//go:generate go run -C ../../.. ./cmd/tristate gen go proof/bench/thing/catalog.yaml --out proof/bench/thing

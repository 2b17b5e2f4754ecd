// SPDX-License-Identifier: Apache-2.0

//go:build !race

package conditions_test

const raceDetector = false

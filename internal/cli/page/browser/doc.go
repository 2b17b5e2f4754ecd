// SPDX-License-Identifier: Apache-2.0

// Package browser holds the tests of the page in a real browser, headless Chromium, against the real command. It has no code of its own.
//
// It is a module of its own, so that the driver of the browser is no dependency of the command. `make test-ui` builds the command and runs
// the tests; without a Chromium they say so and skip, unless TRISTATE_REQUIRE_BROWSER=1 is set, as it is in CI.
package browser

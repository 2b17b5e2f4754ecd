// SPDX-License-Identifier: Apache-2.0

// Package render turns trees and judgements into text and JSON. On a terminal lines are aligned and cut to its width; colour only
// repeats symbols and words. [Plain] has neither ages nor width; stories compare it.
package render

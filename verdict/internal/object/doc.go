// SPDX-License-Identifier: Apache-2.0

// Package object reads decoded objects without copying or allocating: values of any type, conditions and times. A [Fact] is a field with
// its path, a [Message] a sentence about one; both are composed when they are asked for. It knows no rule and no verdict.
package object

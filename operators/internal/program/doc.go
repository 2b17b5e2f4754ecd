// SPDX-License-Identifier: Apache-2.0

// Package program has the frame that all programs of this module share: flags, the report of an error, exit codes.
//
//	func Run(ctx context.Context, args []string, stderr io.Writer) int {
//		p := program.New("gadget-router", stderr)
//		listen := p.String("listen", ":8443", "address to listen at")
//		return p.Run(args, func() error {
//			if *listen == "" {
//				return program.Usage(errors.New("--listen is empty"))
//			}
//			return serve(ctx, *listen)
//		})
//	}
//
// The flags that every operator has besides its own are in package reconciler.
package program

// SPDX-License-Identifier: Apache-2.0

// Package program is the frame of a program: flags, the report of an error, exit codes.
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
// The flags that every operator has besides its own are those of operator.Flags. Every error is printed after the name of the program.
package program

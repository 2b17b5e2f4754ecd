// SPDX-License-Identifier: Apache-2.0

// Package server answers HTTP requests about the rows of a fleet: the API of package api, one live stream, the page, metrics and health.
//
//	handler := server.New(server.Options{Fleet: fleet, Auth: server.Token(secret)})
//
// # Rules
//
//  1. Nothing is written: methods other than GET and HEAD are refused, and no handler changes anything but the sign-in of its own client.
//  2. A request is answered only for a Host that is expected, and for a page only where its Origin is the server itself.
//  3. Every answer has a strict Content-Security-Policy and may not be kept by a cache; the page loads nothing from elsewhere.
//  4. Who asks is decided by one [Auth], which also says what may be seen. Without it only static files and health are served.
//  5. Work and memory of a request are bounded: parameters, rows of an answer, streams.
package server

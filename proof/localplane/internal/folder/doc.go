// SPDX-License-Identifier: Apache-2.0

// Package folder is the data folder of a control plane: its data, credentials, logs and kubeconfig.
//
//	DIR/lock                 held by the supervisor and its components
//	DIR/kubeconfig           the administrator's, mode 0600
//	DIR/port                 the port served last, used again when it is free
//	DIR/credentials/         certificate authority, serving certificate, service-account key, tokens
//	DIR/etcd/                the data
//	DIR/logs/COMPONENT.log   one log for each component, of the last run
//
// Rules:
//
//   - One control plane at a time: a folder in use is refused, also while components of a killed supervisor are still
//     stopping.
//   - A folder that is not empty and not one of ours is refused, so that nothing of others is overwritten or removed.
//   - Folder and files are closed to other users.
//   - A temporary folder is removed by [Folder.Close]. One whose processes were all killed is removed by the next
//     [Temporary].
package folder

// SPDX-License-Identifier: Apache-2.0

package folder

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// kubeconfigMark is the first line of a kubeconfig written by localplane: only such files are replaced or removed.
const kubeconfigMark = "# written by localplane\n"

const kubeconfigFormat = kubeconfigMark + `apiVersion: v1
kind: Config
clusters:
- name: localplane
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: localplane
  user:
    token: %s
contexts:
- name: localplane
  context:
    cluster: localplane
    user: localplane
current-context: localplane
`

// RenderKubeconfig returns a kubeconfig with one context, localplane.
func RenderKubeconfig(server string, ca []byte, token string) []byte {
	return fmt.Appendf(nil, kubeconfigFormat, server, base64.StdEncoding.EncodeToString(ca), token)
}

// WriteKubeconfig writes a rendered kubeconfig with mode 0600. It refuses to replace a file that localplane did not write.
func WriteKubeconfig(path string, data []byte) error {
	if err := CheckKubeconfig(path); err != nil {
		return err
	}
	return WriteFile(path, data)
}

// CheckKubeconfig returns the error with which WriteKubeconfig would refuse the path.
func CheckKubeconfig(path string) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	if !bytes.HasPrefix(old, []byte(kubeconfigMark)) {
		return fmt.Errorf("kubeconfig %s exists and was not written by localplane; name another file", path)
	}
	return nil
}

// RemoveKubeconfig removes the file if it still holds data.
func RemoveKubeconfig(path string, data []byte) error {
	old, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(old, data) {
		return nil
	}
	return os.Remove(path)
}

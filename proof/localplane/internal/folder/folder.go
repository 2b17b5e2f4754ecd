// SPDX-License-Identifier: Apache-2.0

package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Names in a data folder. Components use them relative to it, since it is their working directory: a socket's path must not
// be longer than about 100 bytes.
const (
	EtcdData                    = "etcd"
	EtcdSocket                  = "etcd.sock:0"
	EtcdPeerSocket              = "peer.sock:0"
	Kubeconfig                  = "kubeconfig"
	ControllerManagerKubeconfig = "credentials/controller-manager.kubeconfig"
	KwokConfig                  = "kwok.yaml"

	lockFile = "lock"
	portFile = "port"
	logs     = "logs"
)

// Temporary folders are called tempPrefix plus a random part; until they are locked, unlockedPrefix plus it.
const (
	tempPrefix     = "localplane-"
	unlockedPrefix = "localplane.new-"
)

// Folder is a locked data folder.
type Folder struct {
	// Path is absolute.
	Path string
	// Ephemeral reports that Close removes the folder.
	Ephemeral bool
	// Lock holds the lock as long as any process has it open.
	Lock *os.File
}

// Open creates the folder if it does not exist, and locks it. A folder in use and one with foreign content are errors.
func Open(path string) (*Folder, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := refuseForeign(abs); err != nil {
		return nil, err
	}
	lock, err := acquire(abs)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: abs, Lock: lock}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return f, nil
}

// Temporary creates and locks an ephemeral folder below parent, and removes those there whose processes are all gone.
func Temporary(parent string) (*Folder, error) {
	removeAbandoned(parent)
	unlocked, err := os.MkdirTemp(parent, unlockedPrefix)
	if err != nil {
		return nil, fmt.Errorf("temporary data folder: %w", err)
	}
	lock, err := acquire(unlocked)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(unlocked))
	}
	// Only a locked folder gets the name that removeAbandoned looks for.
	path := filepath.Join(parent, tempPrefix+strings.TrimPrefix(filepath.Base(unlocked), unlockedPrefix))
	if err := os.Rename(unlocked, path); err != nil {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(unlocked))
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	f := &Folder{Path: path, Ephemeral: true, Lock: lock}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close removes an ephemeral folder and releases the lock.
func (f *Folder) Close() error {
	var err error
	if f.Ephemeral {
		err = os.RemoveAll(f.Path)
	}
	return errors.Join(err, f.Lock.Close())
}

// Join returns the path of a file in the folder.
func (f *Folder) Join(name string) string { return filepath.Join(f.Path, name) }

// Log returns the path of a component's log.
func (f *Folder) Log(component string) string {
	return filepath.Join(f.Path, logs, component+".log")
}

// Port returns the port served last, or 0.
func (f *Folder) Port() int {
	data, err := os.ReadFile(f.Join(portFile))
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || port < 1 || port > 65535 {
		return 0
	}
	return port
}

// SetPort remembers the port.
func (f *Folder) SetPort(port int) error {
	return WriteFile(f.Join(portFile), []byte(strconv.Itoa(port)+"\n"))
}

func (f *Folder) prepare() error {
	if err := os.MkdirAll(f.Join(logs), 0o700); err != nil {
		return err
	}
	pid := strconv.Itoa(os.Getpid()) + "\n"
	if err := f.Lock.Truncate(0); err != nil {
		return err
	}
	_, err := f.Lock.WriteAt([]byte(pid), 0)
	return err
}

// acquire locks the folder without waiting.
func acquire(path string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder := make([]byte, 20)
		n, _ := lock.ReadAt(holder, 0)
		err = fmt.Errorf("data folder %s is in use by process %s", path, strings.TrimSpace(string(holder[:n])))
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func refuseForeign(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(path, lockFile)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data folder %s is neither empty nor one of localplane", path)
	}
	return nil
}

// removeAbandoned removes temporary folders of killed control planes. A folder that cannot be removed belongs to another user.
func removeAbandoned(parent string) {
	paths, err := filepath.Glob(filepath.Join(parent, tempPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range paths {
		if _, err := os.Lstat(filepath.Join(path, lockFile)); err != nil {
			continue
		}
		if lock, err := acquire(path); err == nil {
			_ = os.RemoveAll(path)
			_ = lock.Close()
		}
	}
}

// WriteFile replaces a file by one that only its owner can read, in one step.
func WriteFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

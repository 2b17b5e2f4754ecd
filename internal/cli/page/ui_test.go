// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/cli/page"
)

// limit is the size of the whole page, compressed.
const limit = 100_000

func files(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := fs.WalkDir(ui.Files(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		out[path], err = fs.ReadFile(ui.Files(), path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSize(t *testing.T) {
	total := 0
	for name, data := range files(t) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes, %d compressed", name, len(data), b.Len())
		total += b.Len()
	}
	if total > limit {
		t.Errorf("the page is %d bytes compressed, more than %d", total, limit)
	}
}

// TestIndex: index.html loads files of assets only, each of which exists, is used and has a hash in its name; nothing is inline.
func TestIndex(t *testing.T) {
	all := files(t)
	index := string(all["index.html"])
	if index == "" {
		t.Fatal("there is no index.html: run make page")
	}
	used := map[string]bool{"index.html": true}
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(index, -1) {
		name := strings.TrimPrefix(m[1], "./")
		if used[name] = true; all[name] == nil {
			t.Errorf("index.html loads %s, which is not there", m[1])
		}
		if !regexp.MustCompile(`^assets/[a-z]+-[\w-]{8}\.[a-z]+$`).MatchString(name) {
			t.Errorf("%s has no hash in its name", m[1])
		}
	}
	for name := range all {
		if !used[name] {
			t.Errorf("%s is loaded by nothing", name)
		}
	}
	for _, inline := range []string{"<style", " style=", " onload=", "javascript:"} {
		if strings.Contains(index, inline) {
			t.Errorf("index.html has %q, which the policy of the server forbids", inline)
		}
	}
	if m := regexp.MustCompile(`<script[^>]*>[^<]+`).FindString(index); m != "" {
		t.Errorf("index.html has an inline script: %s", m)
	}
}

// TestNoOtherHost: the page has no address of another host, but for names of namespaces of XML.
func TestNoOtherHost(t *testing.T) {
	for name, data := range files(t) {
		for _, url := range regexp.MustCompile(`https?://[^"'\x60\s)]+`).FindAllString(string(data), -1) {
			if !strings.HasPrefix(url, "http://www.w3.org/") {
				t.Errorf("%s has the address %s", name, url)
			}
		}
	}
}

// TestNoMarkup: text of a cluster is only ever a text node, so the sources make no markup from text.
func TestNoMarkup(t *testing.T) {
	for name, data := range files(t) {
		for _, word := range []string{"document.write", "insertAdjacentHTML", "eval(", "new Function"} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s has %s", name, word)
			}
		}
	}
}

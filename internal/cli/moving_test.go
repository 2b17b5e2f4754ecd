// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"
)

// movingPicture is the picture of the README: a part of tristate demo, each tree for some seconds.
const movingPicture = "../../docs/pictures/demo.svg"

// TestMovingPicture: the picture of the README shows what tristate demo prints, and nothing else. -update draws it again.
func TestMovingPicture(t *testing.T) {
	var out, errs bytes.Buffer
	a := cli.New()
	a.In, a.Out, a.Err = &bytes.Buffer{}, &out, &errs
	if code := a.Run(t.Context(), []string{"demo", "--pace", "0s"}); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	frames := framesOf(out.String(), "» The worker joins last", "✓ ssh-key-missing")
	if len(frames) < 4 {
		t.Fatalf("the demo has %d trees from the broken cluster to the one that has healed", len(frames))
	}
	want := drawMoving(frames)
	if *update {
		if err := os.WriteFile(movingPicture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(movingPicture)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("the picture is not what the demo prints, draw it with -update (-demo +picture):\n%s", diff)
	}
	shown := ""
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
		if text, is := token.(xml.CharData); is {
			shown += string(text)
		}
	}
	for _, frame := range frames {
		for _, line := range frame {
			if !strings.Contains(shown, line) {
				t.Errorf("the picture lacks the line %q", line)
			}
		}
	}
}

// framesOf returns the trees that the demo prints between two texts. Each has its note above it and its cause below.
func framesOf(text, from, to string) (frames [][]string) {
	text = text[strings.Index(text, from):strings.Index(text, to)]
	note, passed := "", regexp.MustCompile(`(?m)^✓ .*$`)
	for block := range strings.SplitSeq(strings.TrimSpace(passed.ReplaceAllString(text, "")), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(block, "\n"), func(line string) bool { return line == "" })
		if len(lines) > 0 && strings.HasPrefix(lines[0], "» ") {
			note, lines = lines[0], lines[1:]
		}
		switch {
		case len(lines) == 0:
		case strings.HasPrefix(lines[0], "because"):
			last := len(frames) - 1
			frames[last] = append(append(frames[last], ""), lines...)
		default:
			frames = append(frames, append([]string{note, ""}, lines...))
		}
	}
	return frames
}

// The measures of the picture, in pixels and seconds.
const (
	pictureLine, pictureChar, pictureEdge = 18, 7.3, 14
	pictureSeconds                        = 4
)

// drawMoving draws frames as an SVG that shows one after the other, forever. The colour of a line is that of its symbol.
func drawMoving(frames [][]string) string {
	wide, high := 0, 0
	for _, lines := range frames {
		high = max(high, len(lines))
		for _, line := range lines {
			wide = max(wide, utf8.RuneCountInString(line))
		}
	}
	width, height := int(float64(wide)*pictureChar)+2*pictureEdge, (high+1)*pictureLine
	var b strings.Builder
	share := 100 / float64(len(frames))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="tristate demo">`+"\n", width, height)
	fmt.Fprintf(&b, "<style>text{font:12px ui-monospace,Menlo,Consolas,monospace;white-space:pre;fill:#d8dee4}.b{fill:#ff7b72}.w{fill:#e3b341}"+
		".g{fill:#7ee787}.n{fill:#79c0ff}g{opacity:0;animation:f %ds steps(1) infinite}@keyframes f{0%%{opacity:1}%.2f%%{opacity:0}}</style>\n",
		pictureSeconds*len(frames), share)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	for i, lines := range frames {
		fmt.Fprintf(&b, `<g style="animation-delay:%ds">`+"\n", i*pictureSeconds)
		for n, line := range lines {
			if line == "" {
				continue
			}
			var plain strings.Builder
			_ = xml.EscapeText(&plain, []byte(line)) // a builder takes everything
			fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d" xml:space="preserve">%s</text>`+"\n", colourOf(line), pictureEdge, (n+1)*pictureLine,
				&plain)
		}
		b.WriteString("</g>\n")
	}
	return b.String() + "</svg>\n"
}

func colourOf(line string) string {
	for _, symbol := range [][2]string{{"» ", "n"}, {"✗ ", "b"}, {"! ", "w"}, {"✓ ", "g"}} {
		if strings.Contains(line, symbol[0]) {
			return symbol[1]
		}
	}
	return "t"
}

// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "write the pictures of docs/pictures again")

// font is the font of the pictures. Elsewhere the page takes the system's, and pictures cannot be compared.
const font = "Inter"

// tolerance is the share of pixels that may differ: anti-aliasing differs between versions of the browser.
const tolerance = 0.02

// picture compares what the tab shows with a picture of docs, or writes it.
func (b *tab) picture(name string) {
	b.t.Helper()
	out, err := exec.Command("fc-match", font).Output()
	if err != nil || !strings.Contains(string(out), font) {
		if os.Getenv("TRISTATE_REQUIRE_BROWSER") != "" {
			b.t.Errorf("the font %s is not installed (Debian: fonts-inter)", font)
		}
		b.t.Logf("the font %s is not installed: %s is not compared", font, name)
		return
	}
	got := value(b, chromedp.CaptureScreenshot())
	path := filepath.Join(root(b.t), "docs", "pictures", name)
	if *update {
		if err := os.WriteFile(path, small(b.t, got), 0o644); err != nil {
			b.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if share, err := differs(got, want); err != nil || share > tolerance {
		now := filepath.Join(b.t.ArtifactDir(), name)
		if err := os.WriteFile(now, got, 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.t.Errorf("%.1f %% of the pixels differ from docs/pictures/%s (%v); what is shown is in %s; go test -update writes the picture again",
			100*share, name, err, now)
	}
}

// small encodes a picture again, with the 256 colours that occur most: a quarter of the bytes, and no difference that people see.
func small(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			count[at(x, y)]++
		}
	}
	common := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := color.Palette{}
	for _, c := range common[:min(256, len(common))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	flat := image.NewPaletted(img.Bounds(), palette)
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := at(x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			flat.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, flat); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// differs returns the share of pixels that differ by more than a shade.
func differs(a, b []byte) (float64, error) {
	one, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		return 1, err
	}
	two, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return 1, err
	}
	if one.Bounds() != two.Bounds() {
		return 1, fmt.Errorf("sizes %v and %v", one.Bounds(), two.Bounds())
	}
	const shade = 24 << 8
	n := 0
	for y := range one.Bounds().Dy() {
		for x := range one.Bounds().Dx() {
			r1, g1, b1, _ := one.At(x, y).RGBA()
			r2, g2, b2, _ := two.At(x, y).RGBA()
			if apart(r1, r2) > shade || apart(g1, g2) > shade || apart(b1, b2) > shade {
				n++
			}
		}
	}
	return float64(n) / float64(one.Bounds().Dx()*one.Bounds().Dy()), nil
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

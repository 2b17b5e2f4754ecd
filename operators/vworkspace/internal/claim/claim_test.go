// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

var (
	key = bytes.Repeat([]byte{7}, MinKeyLength)
	now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

func issue(t testing.TB, change func(*Claim)) string {
	t.Helper()
	c := Claim{Namespace: "team", Name: "nightly", By: "ada", At: now.Unix(), Expires: now.Add(time.Hour).Unix()}
	if change != nil {
		change(&c)
	}
	text, err := Issue(key, c)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVerify(t *testing.T) {
	good := issue(t, nil)
	tests := map[string]struct {
		keys [][]byte
		text string
		at   time.Time
		want error
	}{
		"valid":                   {[][]byte{key}, good, now, nil},
		"valid with the old key":  {[][]byte{bytes.Repeat([]byte{8}, 40), key}, good, now, nil},
		"the last second":         {[][]byte{key}, good, now.Add(time.Hour - time.Second), nil},
		"expired":                 {[][]byte{key}, good, now.Add(time.Hour), ErrExpired},
		"missing":                 {[][]byte{key}, "", now, ErrMissing},
		"no key":                  {nil, good, now, ErrNoKey},
		"a short key":             {[][]byte{key[:31]}, good, now, ErrNoKey},
		"another key":             {[][]byte{bytes.Repeat([]byte{9}, 32)}, good, now, ErrSignature},
		"tampered":                {[][]byte{key}, strings.Replace(good, "vws1.e", "vws1.f", 1), now, ErrSignature},
		"cut":                     {[][]byte{key}, good[:len(good)-2], now, ErrMalformed},
		"another prefix":          {[][]byte{key}, "vws2" + good[4:], now, ErrMalformed},
		"too long":                {[][]byte{key}, good + strings.Repeat("a", MaxLength), now, ErrMalformed},
		"another operation":       {[][]byte{key}, issue(t, func(c *Claim) { c.Name = "weekly" }), now, ErrOther},
		"another namespace":       {[][]byte{key}, issue(t, func(c *Claim) { c.Namespace = "blue" }), now, ErrOther},
		"issued in the future":    {[][]byte{key}, issue(t, func(c *Claim) { c.At = now.Add(time.Hour).Unix(); c.Expires = now.Add(2 * time.Hour).Unix() }), now, ErrFuture},
		"within the skew":         {[][]byte{key}, issue(t, func(c *Claim) { c.At = now.Add(30 * time.Second).Unix() }), now, nil},
		"signed, and not a claim": {[][]byte{key}, signedText("bm90IGpzb24"), now, ErrMalformed},
		"signed, and not base64":  {[][]byte{key}, signedText("!!"), now, ErrMalformed},
		"signed, another version": {[][]byte{key}, signedText("eyJ2IjoyfQ"), now, ErrMalformed},
		"only the prefix":         {[][]byte{key}, "vws1.", now, ErrMalformed},
		"the expiry is not checked before the signature": {[][]byte{bytes.Repeat([]byte{9}, 32)}, good, now.Add(time.Hour), ErrSignature},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Verify(test.keys, test.text, "team", "nightly", test.at); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

func signedText(payload string) string {
	head := prefix + payload
	const digits = "0123456789abcdef"
	var b strings.Builder
	for _, x := range sign(key, head) {
		b.WriteByte(digits[x>>4])
		b.WriteByte(digits[x&15])
	}
	return head + "." + b.String()
}

func FuzzVerify(f *testing.F) {
	f.Add(issue(f, nil))
	f.Add("vws1..")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Verify([][]byte{key}, text, "team", "nightly", now)
		switch {
		case err == nil && (c.Name != "nightly" || c.Expires <= now.Unix()):
			t.Errorf("%+v was accepted", c)
		case err != nil && len(text) > 20 && strings.Contains(err.Error(), text[:20]):
			t.Errorf("the error repeats the claim: %v", err)
		}
	})
}

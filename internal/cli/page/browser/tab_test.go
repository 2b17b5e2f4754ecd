// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tab is a tab of the browser. It keeps what the page complains about, and every host that it asked.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	urls       []string
}

// open shows an address in a new tab of a size.
func open(t *testing.T, url string, width, height int64, actions ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 3*most)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	b.do(chromedp.EmulateViewport(width, height))
	b.do(actions...)
	b.do(chromedp.Navigate(url))
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || strings.Contains(e.Entry.Text, "Content Security Policy") {
			b.complaints = append(b.complaints, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, fmt.Sprintf("%+v", e.ExceptionDetails))
	case *network.EventRequestWillBeSent:
		b.urls = append(b.urls, e.Request.URL)
	}
}

// quiet checks that the page had no error and broke no rule of its policy.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.complaints {
		b.t.Error(text)
	}
}

// asked returns the addresses that the page asked so far.
func (b *tab) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.urls)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// value runs an action with a result.
func value[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// call sends a command of the protocol to the tab.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// until waits until an expression of JavaScript is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, most)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(most),
		chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		b.t.Fatalf("%s: %v\nthe page:\n%s", expression, err, b.text("body"))
	}
}

// shows waits until the elements of a selector have a text.
func (b *tab) shows(selector, text string) {
	b.t.Helper()
	b.until(`[...document.querySelectorAll(` + quoted(selector) + `)].some((e) => e.innerText.includes(` + quoted(text) + `))`)
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return b.string(`[...document.querySelectorAll(` + quoted(selector) + `)].map((e) => e.innerText).join("\n")`)
}

func (b *tab) string(expression string) string {
	b.t.Helper()
	return value(b, chromedp.Evaluate[string](expression))
}

func (b *tab) number(expression string) float64 {
	b.t.Helper()
	return value(b, chromedp.Evaluate[float64](expression))
}

// press types keys as a person does: each goes to what has the focus.
func (b *tab) press(keys string) {
	b.t.Helper()
	for _, r := range keys {
		down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r)}
		switch string(r) {
		case enter:
			down.Key, down.Code, down.Text, down.WindowsVirtualKeyCode = "Enter", "Enter", "\r", 13
		case escape:
			down.Key, down.Code, down.Text, down.WindowsVirtualKeyCode = "Escape", "Escape", "", 27
		}
		up := down
		up.Type, up.Text = input.DispatchKeyEventTypeKeyUp, ""
		call(b, input.DispatchKeyEvent, down)
		call(b, input.DispatchKeyEvent, up)
	}
}

const (
	enter  = kb.Enter
	escape = kb.Escape
)

// theme makes the browser prefer dark or light.
func theme(name string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	})
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

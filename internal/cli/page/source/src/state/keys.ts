// SPDX-License-Identifier: Apache-2.0

// Keys as users of k9s expect them. Handlers of a dialog are asked before those of the details, and those before the list's; the first that handles
// a key ends the search.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** A Handler returns true where it handled the key. */
export type Handler = (key: string) => boolean;

export const level = { page: 0, list: 1, details: 2, dialog: 3 } as const;
type Level = (typeof level)[keyof typeof level];

const handlers: { level: Level; handle: Handler }[] = [];

/** useKeys asks the handler for as long as the component is there. */
export function useKeys(at: Level, handler: Handler): void {
  const latest = useRef(handler);
  latest.current = handler;
  useLayoutEffect(() => {
    const entry = { level: at, handle: (key: string) => latest.current(key) };
    handlers.push(entry);
    handlers.sort((a, b) => a.level - b.level);
    return () => void handlers.splice(handlers.indexOf(entry), 1);
  }, [at]);
}

/** useCursor is the line that keys move. It is read when a key is handled, so that keys which come faster than the page is drawn all count. */
export function useCursor(start: number): { at: () => number; put: (line: number) => void } {
  const [, draw] = useState(start);
  const line = useRef(start);
  return {
    at: () => line.current,
    put(to) {
      line.current = to;
      draw(to);
    },
  };
}

const typing = (el: Element | null) => el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;

export function listen(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as Element | null;
    if (typing(target)) {
      if (event.key === "Escape") (target as HTMLElement).blur();
      return;
    }
    // Enter and the space bar belong to a focused link or button.
    if ((event.key === "Enter" || event.key === " ") && target?.closest("a,button,summary")) return;
    for (const handler of [...handlers].reverse()) {
      if (handler.handle(event.key)) {
        event.preventDefault();
        return;
      }
    }
  });
}

/** keys are shown by the help. */
export const keys: [string, string][] = [
  ["j k", "down, up"],
  ["g G", "first, last"],
  ["enter", "open what is selected"],
  ["esc", "close, then drop the filter"],
  ["/", "filter by text"],
  [":", "go to a kind, as :deploy or :pods shop; a view, as :changes"],
  ["1 2 3 4 5", "causes, objects, clusters, changes, a moment"],
  ["u", "only what is unhealthy, or everything"],
  ["w", "why: cause, evidence, events, remedy"],
  ["t", "tree"],
  ["h", "history"],
  ["c", "copy the command that shows the same"],
  ["l", "copy a link to this state"],
  ["p", "print"],
  ["d", "dark, light, or as the system"],
  ["?", "this help"],
];

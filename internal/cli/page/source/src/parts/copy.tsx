// SPDX-License-Identifier: Apache-2.0

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";

/** announcement is read out by screen readers, and shown for a moment. */
export const announcement = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  announcement.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => (announcement.value = ""), 4000);
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce("copied: " + text);
  } catch {
    announce("this browser does not allow copying; the command is selected");
  }
}

/** Copyable is a command with a button that copies it. */
export function Copyable({ title, command }: { title: string; command: string }) {
  const [done, set] = useState(false);
  const click = async (event: MouseEvent) => {
    const code = (event.currentTarget as Element).previousElementSibling;
    if (code) getSelection()?.selectAllChildren(code);
    await copy(command);
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return (
    <div class="copyable">
      <code>{command}</code>
      <button type="button" onClick={click} aria-label={`copy the command of ${title}`}>{done ? "copied" : "copy"}</button>
    </div>
  );
}

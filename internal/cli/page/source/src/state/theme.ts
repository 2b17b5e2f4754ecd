// SPDX-License-Identifier: Apache-2.0

// Dark, light or as the system asks: the only thing that the page keeps in the browser.
import { effect, signal } from "@preact/signals";

type Theme = "system" | "dark" | "light";
const order: Theme[] = ["system", "dark", "light"];

function kept(): Theme {
  try {
    return order.find((t) => t === localStorage.getItem("theme")) ?? "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(kept());

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
}

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
  try {
    localStorage.setItem("theme", theme.value);
  } catch {
    // a browser that keeps nothing
  }
});

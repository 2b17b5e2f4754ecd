// SPDX-License-Identifier: Apache-2.0

// The frame of the page: header, filter, the view of the address, and the details of an object next to it.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { announce, announcement, copy } from "./parts/copy";
import { clean } from "./parts/text";
import { address, go, to, views, type View } from "./state/address";
import { signedOut } from "./state/api";
import { frozen } from "./state/clock";
import { level, useKeys } from "./state/keys";
import { useAnswer } from "./state/resource";
import { clusters, generation } from "./state/stream";
import { nextTheme, theme } from "./state/theme";
import { Causes } from "./views/causes";
import { Changes } from "./views/changes";
import { Clusters } from "./views/clusters";
import { Details } from "./views/details";
import { Filters } from "./views/filters";
import { Freshness, Staleness } from "./views/freshness";
import { Help } from "./views/help";
import { Moment } from "./views/moment";
import { Objects } from "./views/objects";
import { Prompt } from "./views/prompt";
import { SignIn } from "./views/signin";

const names: Record<View, string> = { causes: "Causes", objects: "Objects", clusters: "Clusters", changes: "Changes", moment: "At a time" };
const panes: Record<View, () => preact.JSX.Element> = { causes: Causes, objects: Objects, clusters: Clusters, changes: Changes, moment: Moment };
const dialog = signal<"" | "help" | "prompt">("");

function Header() {
  const { data } = useAnswer("about", "", generation.value);
  useEffect(() => {
    if (!data) return;
    frozen.value = data.mode !== "cluster";
    if (!clusters.peek().length) clusters.value = data.clusters ?? [];
  }, [data]);
  const several = clusters.value.length > 1;
  const shown = views.filter((v) => v !== "clusters" || several);
  const place = data?.title || (several ? `${clusters.value.length} clusters` : clusters.value[0]?.name || clusters.value[0]?.server || "");
  return (
    <header class="page-header">
      <a class="brand" href={location.pathname}><span aria-hidden="true" class="logo"><i>✓</i><i>!</i><i>✗</i></span>tristate</a>
      <span class="where" title={clean(clusters.value[0]?.server)}>{clean(place)}{data?.user && <span class="quiet"> as {clean(data.user)}</span>}</span>
      <nav class="views" aria-label="views">
        {shown.map((v) => <a key={v} href={to({ view: v, object: "", cause: "" })} aria-current={address.value.view === v ? "page" : undefined}>{names[v]}</a>)}
      </nav>
      <Freshness />
      <button type="button" class="plain" onClick={nextTheme} title="dark, light, or as the system (d)">{theme.value === "system" ? "◐ system" : theme.value === "dark" ? "● dark" : "○ light"}</button>
      <button type="button" class="plain" onClick={() => (dialog.value = "help")}>keys <kbd>?</kbd></button>
    </header>
  );
}

export function App() {
  const { view, object } = address.value;
  useKeys(level.page, (key) => {
    switch (key) {
      case "?": return (dialog.value = "help"), true;
      case ":": return (dialog.value = "prompt"), true;
      case "d": return nextTheme(), announce(`colours: ${theme.value}`), true;
      case "p": return print(), true;
      case "l": return void copy(location.href), true;
      case "c": return void copy("tristate why -A"), true;
      default: {
        const v = views[Number(key) - 1];
        if (!v || (v === "clusters" && clusters.value.length < 2)) return false;
        return go({ view: v, object: "", cause: "" }), true;
      }
    }
  });
  useEffect(() => {
    document.title = `${object ? decodeURIComponent(object.split("/").pop() ?? "") : names[view]} · Tristate`;
  }, [view, object]);
  if (signedOut.value) return <SignIn />;
  const Pane = panes[view];
  return (
    <>
      <Header />
      <Staleness />
      <Filters />
      <div class={object ? "main with-details" : "main"}>
        <main><Pane /></main>
        {object && <Details />}
      </div>
      <p class="announcement" role="status" aria-live="polite">{announcement.value}</p>
      {dialog.value === "help" && <Help onClose={() => (dialog.value = "")} />}
      {dialog.value === "prompt" && <Prompt onClose={() => (dialog.value = "")} />}
    </>
  );
}

// SPDX-License-Identifier: Apache-2.0

// How fresh the page is: never fresher than the last message, and as stale as its stalest cluster.
import { clean, plural } from "../parts/text";
import { age, clock, frozen, now } from "../state/clock";
import { clusters, connection, lastHeard } from "../state/stream";

/** Freshness is the line at the top right. */
export function Freshness() {
  now.value; // every second
  const state = connection.value;
  const stale = clusters.value.filter((c) => c.state === "stale" || c.state === "failed").length;
  const behind = clusters.value.filter((c) => c.state === "behind").length;
  const starting = clusters.value.filter((c) => c.state === "starting").length;
  const words = {
    connecting: "… connecting",
    live: stale ? `! ${stale === clusters.value.length ? "cluster" : plural(stale, "cluster")} stale` : behind ? "! behind" : starting ? "… reading the cluster" : frozen.value ? "✓ as recorded" : "✓ live",
    stale: "! connection lost",
    ended: "– read once",
  }[state];
  return <span class={`freshness f-${(stale || behind) && state === "live" ? "stale" : state}`} role="status">{words}{now.value > 0 && <span class="as-of"> as of {clock(now.value - (state === "stale" && !frozen.value ? Date.now() - lastHeard.value : 0))}</span>}</span>;
}

/** Staleness is a line across the page where what is shown may be out of date. */
export function Staleness() {
  now.value;
  const stale = clusters.value.filter((c) => c.state === "stale" || c.state === "failed" || c.state === "behind");
  if (connection.value === "stale") return <p class="staleness" role="alert">! No answer from the server for {age(Date.now() - lastHeard.value)}. What you see was true then; it is read again as soon as the server answers.</p>;
  if (!stale.length) return null;
  return (
    <div class="staleness" role="alert">
      {stale.map((c) => (
        <p key={c.name}>! {c.name ? `Cluster ${clean(c.name)}` : "The cluster"} {c.state === "failed" ? "cannot be read" : c.state === "behind" ? "changes faster than it is shown" : `${c.staleSince ? "has not answered" : "does not answer"}${c.staleSince ? ` for ${age(now.value - Date.parse(c.staleSince))}` : ""}`}{c.message && `: ${clean(c.message)}`}</p>
      ))}
    </div>
  );
}

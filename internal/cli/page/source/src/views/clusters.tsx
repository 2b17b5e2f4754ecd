// SPDX-License-Identifier: Apache-2.0

// The clusters side by side, each with its state and its causes.
import type { Cluster } from "../api.gen";
import { Problem, Unseen } from "../parts/problem";
import { Age, clean, count, plural } from "../parts/text";
import { symbolOf, worstFirst } from "../parts/verdict";
import { address, query, to } from "../state/address";
import { useAnswer } from "../state/resource";
import { causes, clusters, generation } from "../state/stream";
import { CauseLine } from "./causes";

const states: Record<string, string> = { starting: "… being read", live: "✓ live", behind: "! behind", stale: "! has not answered", ended: "– read once", failed: "✗ cannot be read" };

function Column({ cluster }: { cluster: Cluster }) {
  const filter = query({ ...address.value, cluster: [cluster.name] });
  const { data, error } = useAnswer("overview", `${filter}&limit=20`, `${generation.value}/${causes.value}`, 1000);
  return (
    <section class={`column state-${cluster.state}`} aria-label={`cluster ${clean(cluster.name)}`}>
      <header>
        <h2><a href={to({ view: "causes", cluster: [cluster.name] })}>{clean(cluster.name) || "this cluster"}</a></h2>
        <p class="state">{states[cluster.state] ?? clean(cluster.state)}{cluster.staleSince && <> for <Age since={cluster.staleSince} /></>}{cluster.message && `: ${clean(cluster.message)}`}</p>
        {data && (
          <p class="tally">
            {data.counts.total === 0 ? (cluster.state === "live" || cluster.state === "behind" || cluster.state === "ended" ? "no objects" : "nothing was read") : data.counts.unhealthy === 0 ? `all ${plural(data.counts.total, "object")} healthy` : worstFirst.filter((v) => data.counts.verdicts[v] && v !== "Current").map((v) => (
              <a key={v} class={`v-${v.toLowerCase()}`} href={to({ view: "objects", cluster: [cluster.name], verdict: [v] })}>{symbolOf(v)} {count(data.counts.verdicts[v] ?? 0)} {v}</a>
            ))}
          </p>
        )}
      </header>
      {error && !data && <Problem error={error} />}
      <Unseen answer={{ unread: cluster.unread ?? [], hidden: data?.hidden ?? [] }} />
      <ol class="cause-list">{data?.causes.map((cause) => <CauseLine key={cause.id} cause={cause} selected={false} compact />)}</ol>
      {(data?.moreCauses ?? 0) > 0 && <a class="more" href={to({ view: "causes", cluster: [cluster.name] })}>{count(data?.moreCauses ?? 0)} more causes</a>}
    </section>
  );
}

export function Clusters() {
  const chosen = clusters.value.filter((c) => address.value.cluster.length === 0 || address.value.cluster.includes(c.name));
  return <div class="columns">{chosen.map((c) => <Column key={c.name} cluster={c} />)}</div>;
}

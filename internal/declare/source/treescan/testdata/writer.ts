// want 12 Ready=True/Reconciled
// want 13 Ready=False/NotFound|Refused
// want 14 Degraded=True/Broken
// want 18 Ready=Unknown/computed
// want 21 Ready=False/unresolved
const Reasons = { Reconciled: "Reconciled", Refused: "Refused" } as const;
enum Why { Broken = "Broken" }
function reasonOf(e: Error): string {
  return e.name === "404" ? "NotFound" : Reasons.Refused;
}
export function reconcile(e: Error, prior: Condition) {
  const ready = { type: "Ready", status: "True", reason: Reasons.Reconciled, message: "" };
  const failed = { type: "Ready", status: "False", reason: reasonOf(e) };
  degraded(Why.Broken);
  const event = { type: "Warning", reason: "Started" };
}
export const computed = (n: number) => ({
  type: "Ready", status: "Unknown", reason: `Waiting${n}`,
});
export const lost = (r: Result) => ({
  type: "Ready", status: "False", reason: library.reason_of(r),
});
const degraded = (reason: string) => ({ type: "Degraded", status: "True", reason });

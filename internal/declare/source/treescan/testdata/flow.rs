// want 14 Ready=True/Reconciled
// want 16 Ready=False/Missing|InvalidSpec|WriteFailed
// want 30 Ready=False/Slow|Broken
// want 39 Ready=False/Timeout
// want 45 Ready=True|False/AllPassed|Drift
// want 55 Progressing=False/Halted|Stopped
mod reason {
    pub const RECONCILED: &str = "Reconciled";
    pub const MISSING: &str = "Missing";
}
use self::reason as why;
fn conditions(prior: &[Condition], degraded: Option<(&str, &str)>) -> Vec<Condition> {
    match degraded {
        None => vec![make("Ready", "True", why::RECONCILED)],
        Some((reason_value, _message)) => {
            vec![make("Ready", "False", reason_value)]
        }
    }
}
fn make(kind: &str, status: &str, reason: &str) -> Condition {
    Condition { type_: kind.to_string(), status: status.to_string(), reason: reason.to_string() }
}
async fn reconcile(spec: Spec) -> Result<(), Error> {
    let mut degraded: Option<(&'static str, String)> = check(&spec).err();
    if let Err(e) = write(&spec).await {
        degraded = Some(("WriteFailed", e.to_string()));
    }
    conditions(&[], degraded.as_ref().map(|(reason, msg)| (*reason, msg.as_str())));
    if let Err(Failure::NotReady { reason, .. }) = library::call().await {
        make("Ready", "False", &reason);
    }
    Ok(())
}
fn check(spec: &Spec) -> Result<(), (&'static str, String)> {
    let bytes = builtin(spec).ok_or_else(|| (reason::MISSING, "none".to_string()))?;
    if bytes.is_empty() {
        return Err(("InvalidSpec", "empty".to_string()));
    }
    make("Ready", "False", match bytes.len() { 1 => "Timeout", _ => "Timeout" });
    Ok(())
}
fn slow() -> Failure { Failure::NotReady { reason: "Slow".into(), message: String::new() } }
fn broken() -> Failure { Failure::NotReady { message: String::new(), reason: "Broken".to_string() } }
fn choice(failed: usize) -> Condition {
    let (status, reason) = if failed == 0 { ("True", "AllPassed") } else { ("False", "Drift") }; make("Ready", status, reason)
}
enum Cause { Halted, Stopped }
impl Cause {
    fn reason(&self) -> &'static str {
        match self { Self::Halted => "Halted", Self::Stopped => "Stopped" }
    }
}
fn halt(cause: &Cause) -> Condition {
    let text = "ignored";
    make("Progressing", "False", cause.reason())
}

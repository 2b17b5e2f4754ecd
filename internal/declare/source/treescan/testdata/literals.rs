// want 10 Ready=True/Reconciled
// want 11 Degraded=True/SpecInvalid
// want 15 Ready=False/NotFound|SpecInvalid|unresolved
// want 18 Ready=False/SpecInvalid
// want 23 Ready=False/SpecInvalid
// want 37 Ready=Unknown/computed
pub const SPEC_INVALID: &str = "SpecInvalid";
// reason: "InAComment"
fn reconcile(e: Error) -> Vec<Condition> {
    let a = Condition { type_: "Ready".into(), status: "True".into(), reason: "Reconciled".into() };
    let b = json!({"status": {"conditions": [{"type": "Degraded", "status": "True", "reason": SPEC_INVALID}]}});
    let c = Condition {
        type_: "Ready".into(),
        status: "False".into(),
        reason: reason_for_error(&e).to_string(),
    };
    let event = Event { type_: EventType::Warning, reason: "Started".into() };
    vec![a, build("Ready", SPEC_INVALID), c]
}
fn build(type_: &str, reason: &str) -> Condition {
    Condition { type_: type_.into(), status: "False".into(), reason: reason.into() }
}
fn caller() { build("Ready", SPEC_INVALID); }
fn reason_for_error(e: &Error) -> &'static str {
    match e {
        Error::NotFound => "NotFound",
        Error::Spec(_) => {
            SPEC_INVALID
        }
        Error::Other(text) => classify(text),
    }
}
fn computed(x: &str) -> Condition {
    Condition {
        type_: "Ready".to_string(),
        status: "Unknown".to_string(),
        reason: format!("{x}Failed"),
    }
}
#[cfg(test)]
mod tests { fn x() { let a = Condition { type_: "Ready".into(), status: "True".into(), reason: "OnlyInTests".into() }; } }

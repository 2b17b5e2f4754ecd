// want 12 Ready=True/Done
// want 13 Ready=False/Refused
// want 14 Degraded=True/Named
macro_rules! ready {
    ($status:expr, $reason:expr) => {
        Condition { type_: "Ready".into(), status: $status.into(), reason: $reason.into(), message: String::new() }
    };
}
macro_rules! named {
    (type = $t:expr, because = $reason:expr) => { Condition { type_: $t.into(), status: "True".into(), reason: $reason.into() } };
}
fn a() { ready!("True", "Done"); }
fn b() { let c = ready!("False", "Refused"); }
fn c() { named!(type = "Degraded", because = "Named"); }

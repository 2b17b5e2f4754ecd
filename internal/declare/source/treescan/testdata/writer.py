# want 17 Ready=True/Reconciled
# want 18 Ready=False/SpecInvalid|Missing
# want 19 Degraded=True/Broken
# want 20 Degraded=False/Default
# want 21 Ready=Unknown/computed
from enum import Enum
SPEC_INVALID = "SpecInvalid"
class Reason(str, Enum):
    BROKEN = "Broken"
def condition(type, status, reason="Default", message=""):
    return {"type": type, "status": status, "reason": reason, "message": message}
def cause(spec):
    if not spec:
        return SPEC_INVALID, "no spec"
    return "Missing", "not there"
def reconcile(spec, n):
    a = dict(type="Ready", status="True", reason="Reconciled")
    why, message = cause(spec); b = Condition(type="Ready", status="False", reason=why, message=message)
    c = condition("Degraded", "True", reason=Reason.BROKEN.value)
    d = condition("Degraded", "False")
    e = {"type": "Ready", "status": "Unknown", "reason": f"Waiting{n}"}

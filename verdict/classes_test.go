// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// TestClasses: classes of misses on objects of other projects, each by objects of its own and by a similar one that is judged otherwise.
func TestClasses(t *testing.T) {
	tests := map[string]struct{ kind, object, want string }{
		"a role with failed members next to a healthy phase": {"Farm",
			`{spec: {a: 1}, status: {phase: Running, roleStatuses: {worker: {active: 1, failed: 2}}}}`, "Degraded"},
		"the same next to a condition": {"Farm",
			`{spec: {a: 1}, status: {conditions: [{type: Running, status: "True"}], roleStatuses: {worker: {active: 1, failed: 2}}}}`, "Degraded"},
		"a role whose members are healthy": {"Farm",
			`{spec: {a: 1}, status: {phase: Running, roleStatuses: {worker: {active: 1, failed: 0}}}}`, "Current"},
		"runs of which some failed long ago": {"Farm",
			`{spec: {a: 1}, status: {phase: Running, runs: {nightly: {active: 1, succeeded: 30, failed: 2}}}}`, "Current"},
		"a failed member of a role": {"Farm",
			`{spec: {a: 1}, status: {phase: Ready, roles: {data: {members: [{pod: a-0, state: Running}, {pod: a-1, state: Error}]}}}}`, "Failed"},

		"a red state next to a harmless condition": {"Kettle",
			`{spec: {a: 1}, status: {conditions: [{type: SpecSynced, status: "True"}], rack: {shelf: {cup: {state: Broken}}}}}`, "Failed"},
		"an error next to a harmless condition": {"Kettle",
			`{spec: {a: 1}, status: {conditions: [{type: SpecSynced, status: "True"}], sinks: [{name: a, errorMessage: no water}]}}`, "Failed"},
		"a container that cannot start": {"Kettle",
			`{spec: {a: 1}, status: {conditions: [{type: PodCreated, status: "True"}], container: {state: {waiting: {reason: CrashLoopBackOff}}}}}`,
			"Failed"},
		"the same while the object is in progress": {"Kettle",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: "False", reason: NotReady}], containers: [{name: a, state: {waiting: {reason: ImagePullBackOff}}}]}}`, "Failed"},
		"an exit code": {"Kettle",
			`{spec: {a: 1}, status: {conditions: [{type: Created, status: "True"}], containers: [{name: a, state: {terminated: {exitCode: 137}}}]}}`,
			"Failed"},
		"the exit code of the run before": {"Kettle",
			`{spec: {a: 1}, status: {phase: Running, containers: [{name: a, state: {running: {}}, lastState: {terminated: {exitCode: 137}}}]}}`,
			"Current"},
		"findings about other objects": {"Survey",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: "True"}], findings: [{id: a, status: fail}]}}`, "Current"},
		"none of what the spec asks for":    {"Kettle", `{spec: {size: 3}, status: {ready: 0}}`, "InProgress"},
		"fewer than the spec asks for":      {"Kettle", `{spec: {workers: 3}, status: {readyWorkers: 2}}`, "InProgress"},
		"as many as the spec asks for":      {"Kettle", `{spec: {workers: 3}, status: {readyWorkers: 3}}`, "Current"},
		"a number of another kind of thing": {"Kettle", `{spec: {workersTimeout: 30}, status: {readyWorkers: 3}}`, "Current"},
		"a count that was never written": {"Kettle",
			`{spec: {size: 3}, status: {ready: 0, conditions: [{type: Available, status: "True"}]}}`, "Current"},
		"a capability that the platform lacks": {"Gadget",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: "True"}, {type: SnapshotsSupported, status: "False", reason: UnsupportedByDriver}]}}`, "Current"},
		"a version that is not supported": {"Gadget",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: "True"}, {type: VersionValid, status: "False", reason: UnsupportedVersion}]}}`, "Degraded"},
		"Unknown for good": {"Gadget",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: Unknown, reason: LicenseExpired}]}}`, "Failed"},
		"a part that is Unknown for good": {"Gadget",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: "True"}, {type: LicenseValid, status: Unknown, reason: LicenseRejected}]}}`,
			"Degraded"},
		"Unknown for a while": {"Gadget",
			`{spec: {a: 1}, status: {conditions: [{type: Ready, status: Unknown, reason: Checking}]}}`, "InProgress"},
		"a step next to the final phase": {"Gadget",
			`{spec: {a: 1}, status: {phase: Completed, conditions: [{type: Executing, status: "True"}]}}`, "Current"},
		"an activity next to the final phase": {"Gadget",
			`{spec: {a: 1}, status: {phase: Completed, conditions: [{type: Upgrading, status: "True", reason: Draining}]}}`, "InProgress"},
		"success after a failure": {"Gadget",
			`{status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-01-01T00:00:01Z"}, {type: Succeeded, status: "True", lastTransitionTime: "2026-01-01T00:00:05Z"}]}}`, "Current"},
		"a failure after success": {"Gadget",
			`{status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-01-01T00:00:05Z"}, {type: Succeeded, status: "True", lastTransitionTime: "2026-01-01T00:00:01Z"}]}}`, "Degraded"},
		"a task that runs again after a failure": {"FitJob",
			`{status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-01-01T00:00:01Z"}, {type: Restarting, status: "True", lastTransitionTime: "2026-01-01T00:00:05Z"}]}}`, "InProgress"},
		"a task that failed after it ran": {"FitJob",
			`{status: {conditions: [{type: Running, status: "True", lastTransitionTime: "2026-01-01T00:00:01Z"}, {type: Failed, status: "True", lastTransitionTime: "2026-01-01T00:00:05Z"}]}}`, "Failed"},
		"an older failure that is no outcome": {"Gadget",
			`{status: {conditions: [{type: Degraded, status: "True", lastTransitionTime: "2026-01-01T00:00:01Z"}, {type: Succeeded, status: "True", lastTransitionTime: "2026-01-01T00:00:05Z"}]}}`, "Degraded"},
		"a DaemonSet of another group with few pods": {"DaemonSet",
			`{spec: {a: 1}, status: {desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 1}}`, "InProgress"},
		"a DaemonSet of another group with all pods": {"DaemonSet",
			`{spec: {a: 1}, status: {desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 3}}`, "Current"},
		"a phase in front of a condition that speaks": {"Gadget",
			`{spec: {a: 1}, status: {phase: Running, conditions: [{type: Ready, status: "False", reason: DiskFailed}]}}`, "Failed"},
	}
	for name, tt := range tests {
		raw, err := yaml.YAMLToJSON([]byte(`{apiVersion: acme.example/v1, kind: ` + tt.kind + `, ` + strings.TrimPrefix(tt.object, "{")))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := judgeRaw(new(verdict.Engine), raw, now); string(v.Status) != tt.want {
			t.Errorf("%s: want %s, got %s by %s: %s", name, tt.want, v.Status, v.Rule, v.Message)
		}
	}
}

// TestRestartLoop: a pod is Degraded while one of its containers is restarted again and again, though it is ready in between, and healthy
// once the container has run for ten minutes.
func TestRestartLoop(t *testing.T) {
	pod := func(count, ready, started string) string {
		return `{apiVersion: v1, kind: Pod, spec: {}, status: {phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "` +
			ready + `"}, {type: ContainersReady, status: "True"}],
			containerStatuses: [{name: a, ready: true, restartCount: ` + count + `, state: {running: {startedAt: "` + started +
			`"}}, lastState: {terminated: {exitCode: 1, reason: Error}}}]}}`
	}
	const recent, old = "2026-01-02T03:03:05Z", "2026-01-02T01:03:05Z"
	tests := map[string]struct{ object, want string }{
		"57 restarts, the last a minute ago": {pod("57", recent, recent), "Degraded"},
		"57 restarts, the last long ago":     {pod("57", old, old), "Current"},
		"one restart":                        {pod("1", recent, recent), "Current"},
		"ready again, for another reason":    {pod("57", recent, old), "Current"},
	}
	for name, tt := range tests {
		raw, err := yaml.YAMLToJSON([]byte(tt.object))
		if err != nil {
			t.Fatal(err)
		}
		v := judgeRaw(new(verdict.Engine), raw, now)
		if string(v.Status) != tt.want || !v.Ready {
			t.Errorf("%s: want %s and ready, got %s: %s", name, tt.want, v.Status, v.Message)
		}
		if (tt.want == "Degraded") != (v.NextLook.Format("15:04:05") == "03:13:05") {
			t.Errorf("%s: next look at %s", name, v.NextLook)
		}
	}
}

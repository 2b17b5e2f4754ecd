// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"

	"github.com/tristate/tristate/verdict"
)

// TestFields: the names of fields have a meaning for any kind.
func TestFields(t *testing.T) {
	const (
		current, progress, failed, degraded, off, unknown = verdict.Current, verdict.InProgress, verdict.Failed, verdict.Degraded,
			verdict.Suspended, verdict.Unknown
		ready = `"conditions":[{"type":"Ready","status":"True"}]`
	)
	judgeAll(t, "Lamp", map[string]expected{
		"disabled":              {`"spec":{"disabled":true},"status":{"phase":"Failed"}`, off},
		"a state of management": {`"spec":{"managementState":"Removed"},"status":{` + ready + `}`, off},
		"managed":               {`"spec":{"managementState":"Managed"},"status":{` + ready + `}`, current},
		"stopped by an annotation": {`"metadata":{"annotations":{"lamp-resource-stopped":"2026-01-01T00:00:00Z"}},"spec":{}`,
			off},
		"an annotation without a prefix": {`"metadata":{"annotations":{"stop":"slowly"}},"spec":{},"status":{` + ready + `}`, current},
		"not enabled":                    {`"spec":{"enabled":false},"status":{` + ready + `}`, off},
		"enabled":                        {`"spec":{"enabled":true},"status":{` + ready + `}`, current},
		"a generation of a component, behind": {`"metadata":{"generation":3},"status":{"switchObservedGeneration":2,` + ready + `}`,
			progress},
		"a last generation, behind":         {`"metadata":{"generation":3},"status":{"lastGeneration":2,` + ready + `}`, progress},
		"a last generation, and why":        {`"metadata":{"generation":3},"status":{"lastGeneration":2,"error":"no bulb"}`, failed},
		"a number ahead of the generation":  {`"metadata":{"generation":3},"status":{"lastGeneration":7,` + ready + `}`, current},
		"a generation in words, written so": {`"metadata":{"generation":3},"status":{"observed_generation":2,"phase":"Ready"}`, progress},
		"a flag that says no":               {`"status":{"applied":false}`, progress},
		"a flag that says no, and why":      {`"status":{"applied":false,"message":"ERROR: no bulb"}`, failed},
		"an error that is quoted": {`"status":{"applied":false,"message":"while creating a bulb: ERROR: no such socket"}`,
			failed},
		"a flag of a component that says no":       {`"status":{"bulbReady":false}`, progress},
		"a flag of a component against a summary":  {`"status":{"bulbReady":false,` + ready + `}`, current},
		"a flag in words":                          {`"status":{"available":"False"}`, progress},
		"a flag in words that says yes":            {`"status":{"available":"True"}`, current},
		"a light flag":                             {`"status":{"published":false}`, progress},
		"a light flag against a summary":           {`"status":{"published":false,` + ready + `}`, current},
		"a flag of a component, and why":           {`"status":{"wire":{"ready":false,"message":"failed to connect"}}`, failed},
		"what is done on an error":                 {`"status":{"onError":"continue","phase":"Ready"}`, current},
		"a result in numbers":                      {`"status":{"scanResult":"0 errors"}`, current},
		"an offer is no flag":                      {`"status":{"updateAvailable":false}`, current},
		"a flag of configuration":                  {`"status":{"loggingEnabled":false}`, current},
		"finished, and not successful":             {`"status":{"finished":true,"successful":false}`, failed},
		"not successful yet":                       {`"status":{"successful":false}`, progress},
		"a section that is not valid":              {`"status":{"validation":{"valid":false}}`, failed},
		"a flag of a named component":              {`"status":{"cells":{"a":{"gatewayAvailable":"False"}}}`, progress},
		"an item that is not ready":                {`"status":{"bulbs":[{"ready":true},{"ready":false}]}`, progress},
		"an item that is not ready, and all":       {`"status":{"bulbs":[{"ready":false}],` + ready + `}`, current},
		"fewer ready than there are":               {`"status":{"bulbs":3,"readyBulbs":1}`, progress},
		"all ready":                                {`"status":{"bulbs":3,"readyBulbs":3}`, current},
		"fewer ready than desired, in a component": {`"status":{"rooms":{"hall":{"desiredBulbs":2,"readyBulbs":1}}}`, progress},
		"fewer available than desired":             {`"status":{"loader":{"desiredNumber":3,"availableNumber":1}}`, progress},
		"of what is available some is used":        {`"status":{"addresses":8,"availableAddresses":2}`, current},
		"some are not well":                        {`"status":{"bulbsHealthy":2,"bulbsUnhealthy":1}`, degraded},
		"some are not established":                 {`"status":{"numberNotEstablished":1}`, degraded},
		"none is not well":                         {`"status":{"bulbsUnhealthy":0}`, current},
		"fewer instances than asked for":           {`"spec":{"instances":3},"status":{"instances":1}`, progress},
		"a number alone":                           {`"status":{"instances":3}`, current},
		"a zero that is left out":                  {`"spec":{"replicas":2},"status":{"replicas":2,"fullyLabeledReplicas":2}`, progress},
		"another zero that is left out":            {`"status":{"expectedNodes":2}`, progress},
		"a state in snake case":                    {`"status":{"bulb_state":"Faulted"}`, failed},
		"a state in lower case":                    {`"status":{"buildstatus":"pending"}`, progress},
		"the state of the last operation":          {`"status":{"phase":"","lastSwitchStatus":"Failed"}`, failed},
		"the last state and a good one":            {`"status":{"phase":"Ready","lastSwitchStatus":"Failed"}`, current},
		"a bad result":                             {`"status":{"lastSwitchResult":"success","lastReloadResult":"failed: no bulb"}`, failed},
		"a bad verdict beside a good state":        {`"status":{"trial":{"phase":"Completed","verdict":"Fail"}}`, failed},
		"a result that is awaited":                 {`"status":{"trial":{"phase":"Running","verdict":"Awaited"}}`, progress},
		"work that runs":                           {`"status":{"buildStatus":"Running"}`, progress},
		"a component that runs":                    {`"status":{"switchStatus":"Running"}`, current},
		"a result that is no word":                 {`"status":{"result":"42"}`, current},
		"states by name":                           {`"status":{"bulbStatus":{"a":"Lit","b":"Failed"}}`, failed},
		"names of things are no states":            {`"status":{"bulbStatus":{"lamp":"failed-1"}}`, current},
		"problems":                                 {`"status":{"problems":["no bulb"]}`, failed},
		"no problems":                              {`"status":{"problems":[],"phase":"Ready"}`, current},
		"not ready, and why":                       {`"status":{"phase":"NotReady","reason":"BulbNotFound"}`, failed},
		"not ready, and no more":                   {`"status":{"phase":"NotReady","message":"comes up"}`, progress},
		"a component that is off":                  {`"status":{"phase":"Running","backup":{"phase":"Disabled"}}`, current},
		"a component that is off, by its field":    {`"status":{"lampStatus":"available","streamStatus":"stopped"}`, current},
		"all that is known is off":                 {`"status":{"streamStatus":"stopped"}`, off},
		"the whole is off, not its components":     {`"status":{"lifecycleState":"SUSPENDED","wireStatus":"Ready"}`, off},
		"its own state is off":                     {`"status":{"lampState":"PAUSED","state":"CREATED"}`, off},
		"it is being rolled out":                   {`"status":{"phase":"Ready","isRollingUpdate":true}`, progress},
		"it is being updated no more":              {`"status":{"phase":"Ready","updating":false}`, current},
		"a list of what failed":                    {`"status":{"failedBulbs":["a"]}`, failed},
		"a list of what failed, and all":           {`"status":{"failedBulbs":["a"],` + ready + `}`, current},
		"none failed":                              {`"status":{"failedBulbs":[]},"spec":{}`, progress},
		"a list of what is not ready":              {`"status":{"members":{"ready":["a"],"unready":["b"]}}`, progress},
		"a list of what is not healthy":            {`"status":{"unhealthyBulbs":["b"]}`, degraded},
		"a bad word at some depth":                 {`"status":{"rooms":[{"wires":[{"stateSummary":"Failed"}]}]}`, failed},
		"a busy word at some depth":                {`"status":{"rooms":{"a":{"b":{"switchProgress":"Updating"}}}}`, progress},
		"a bad word of the past":                   {`"status":{"rooms":[{"stateHistory":[{"stateSummary":"Failed"}]}]}`, current},
		"a bad word in other fields":               {`"status":{"rooms":[{"wires":[{"name":"failed"}]}]}`, current},
		"a bad word, and something speaks":         {`"status":{"phase":"Ready","rooms":[{"wires":[{"stateSummary":"Failed"}]}]}`, current},
		"an error of something":                    {`"status":{"switchError":"no bulb"}`, failed},
		"an error in a map":                        {`"status":{"switchError":{"code":"X","description":"no bulb"}}`, failed},
		"an error two maps deep":                   {`"status":{"wires":{"left":{"error":"no current"}}}`, failed},
		"errors one map deep":                      {`"status":{"sync":{"errors":[{"code":"1"}]}}`, failed},
		"an error that says nothing":               {`"status":{"phase":"Ready","error":"None"}`, current},
		"an error without a message":               {`"status":{"phase":"Ready","error":{"message":"","code":0}}`, current},
		"the last error of a run":                  {`"status":{"phase":"Ready","lastSwitchError":"no bulb"}`, current},
		"one condition":                            {`"status":{"type":"BulbBroken","status":"True","reason":"Dark"}`, failed},
		"one condition that is well":               {`"status":{"type":"BulbReady","status":"True"}`, current},
		"conditions of components by name": {
			`"status":{"modules":{"wire":{"conditions":[{"type":"Connected","status":"False","reason":"Cut"}]}}}`, failed},
		"a component that is a condition": {`"status":{"parts":{"wire":{"type":"Available","status":"False","reason":"Failed"}}}`,
			failed},
		"conditions without a type": {`"status":{"conditions":[{"state":"failed"},{"state":"done"}]}`, failed},
		"what became of it":         {`"status":{"state":"ready","conditions":[{"state":"failed"},{"state":"ready"}]}`, current},
		"handlers that go on": {
			`"status":{"kopf":{"progress":{"create_fn":{"success":false,"failure":false,"message":"no bulb"}}}}`, progress},
		"a handler that gave up": {
			`"status":{"kopf":{"progress":{"create_fn":{"success":false,"failure":true,"message":"no bulb"}}}}`, failed},
		"nothing but a bad message":      {`"status":{"message":"Decryption error"}`, failed},
		"nothing but a bad reason":       {`"status":{"reason":"SocketNotFound"}`, failed},
		"plain data":                     {`"status":{"address":"10.0.0.1","volumeID":"v","since":"2026-01-01T00:00:00Z"}`, current},
		"a state that is not understood": {`"status":{"bulb_state":"Purple","phase":"Purple"}`, unknown},
	})
	judgeAll(t, "LampState", map[string]expected{
		"a state at the top":      {`"state":"failed"`, failed},
		"a good state at the top": {`"state":"online"`, current},
		"data at the top":         {`"data":{"state":"failed"}`, current},
	})
	judgeAll(t, "LampTest", map[string]expected{
		"a task that has started":           {`"status":{"startTime":"2026-01-01T00:00:00Z"}`, progress},
		"a task that has ended":             {`"status":{"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:00:01Z"}`, current},
		"a task with a good result":         {`"status":{"result":"Succeeded","completionTime":"2026-01-01T00:00:01Z"}`, current},
		"a task that ended badly":           {`"status":{"completionTime":"2026-01-01T00:00:01Z","result":"Failed"}`, failed},
		"components of a task that is over": {`"status":{"phase":"Succeeded","pods":{"desired":3,"ready":0}}`, current},
	})
	judgeAll(t, "LampProviderConfig", map[string]expected{
		"configuration": {`"spec":{"x":1},"status":{}`, current},
	})
}

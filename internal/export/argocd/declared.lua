-- The conditions that the catalog declares: a summary decides, and a dependent that is worse than a healthy summary counts in its place.
local ranks = {ok = 0, suspended = 1, progress = 2, transient = 3, terminal = 4}
local verdicts = {ok = "Current", suspended = "Suspended", progress = "InProgress", transient = "InProgress", terminal = "Failed"}
local severities = {Info = 0, Warning = 1}
local function elementName(n)
  local name = text(at(n, "name"))
  if name ~= "" or type(n) ~= "table" then return name end
  local best = nil
  for key, v in pairs(n) do
    if type(key) == "string" and text(at(v, "name")) ~= "" and (best == nil or key < best) and endsWith(key, "Ref") then best, name = key, v.name end
  end
  return name
end
local function good(t, s)
  if t.polarity == "negative" then return s == "False" end
  return t.polarity == "positive" and s == "True"
end
local function classOf(t, c)
  local cell = t.cells[c.status .. "/" .. c.reason] or t.cells[c.status .. "/"]
  if cell ~= nil then return cell.class, cell end
  if good(t, c.status) or t.polarity == "neutral" then return "ok" end
  if c.status == "Unknown" then
    if t.polarity == "negative" and not t.summary then return "ok" end
    return "progress"
  end
  if c.severity == "Info" then return "progress" end
  return "terminal"
end
local function severityOf(d)
  local s = d.severity
  if s == "" and d.cell ~= nil and d.class ~= "progress" then s = d.cell.severity or "" end
  return severities[s] or 2
end
local function worse(a, b)
  if b == nil then return true end
  if a.class ~= b.class then return ranks[a.class] > ranks[b.class] end
  if (a.status == "Unknown") ~= (b.status == "Unknown") then return b.status == "Unknown" end
  local x, y = severityOf(a), severityOf(b)
  if x ~= y then return x > y end
  if (a.message ~= "") ~= (b.message ~= "") then return a.message ~= "" end
  if a.t.position ~= b.t.position then return a.t.position < b.t.position end
  if a.type ~= b.type then return a.type < b.type end
  local n, m = elementName(a.element), elementName(b.element)
  if n ~= m then return n < m end
  return before(a, b)
end
local function counts(d)
  return d ~= nil and (d.cell ~= nil or d.severity ~= "")
end
local function failsNow(d)
  return d ~= nil and d.class == "terminal" and generation ~= nil and d.seen == generation
end
local function reasonOf(d)
  if d.cell ~= nil and d.cell.name ~= nil then return d.cell.name end
  if d.reason ~= "" then return d.reason end
  return d.type
end
local function say(d, verdict)
  local message = sentence(d)
  if verdict ~= "Current" and d.element ~= nil then
    local name = elementName(d.element)
    if name ~= "" then return name .. ": " .. message end
  end
  return message
end
local function conditions()
  local lags = seen ~= nil and generation ~= nil and seen ~= generation
  local summary, worst, stale, silent = nil, nil, false, nil
  local function list(l, element)
    local summaries, any = false, false
    each(l, function(n)
      local c = read(n)
      local t = types[c.type]
      if c.type == "" or t == nil then return end
      c.t, c.element = t, element
      c.class, c.cell = classOf(t, c)
      if generation ~= nil and (c.seen ~= nil and c.seen < generation or c.seen == nil and lags) then
        c.class = "progress"
        stale = stale or t.summary
        c.old = true
      end
      any = true
      if t.summary then
        summaries = true
        if worse(c, summary) then summary = c end
      elseif worse(c, worst) then
        worst = c
      end
    end)
    if element ~= nil and next(element) ~= nil and not summaries and (not any or needsSummary) and
      (silent == nil or elementName(element) < elementName(silent)) then
      silent = element
    end
  end
  local function walk(v, i, element)
    local step = path[i]
    v = at(v, step.name)
    if i == #path then return list(v, element) end
    if not step.each then return walk(v, i + 1, element) end
    each(v, function(one)
      if type(one) == "table" and #one == 0 then walk(one, i + 1, one) end
    end)
  end
  walk(obj, 1, nil)

  local now = failsNow(summary) or (summary == nil or summary.class ~= "suspended") and (summary == nil or counts(worst)) and failsNow(worst)
  if lags and (impossible(seen) or not now) then return behind() end
  if summary ~= nil and summary.seen ~= nil and impossible(summary.seen) then
    return answer("Unknown", "condition " .. summary.type .. " was observed at generation " .. number(summary.seen) .. ", generation is " .. number(generation))
  end
  if summary == nil and worst == nil and healthyWithout and seen ~= nil and seen == generation then return answer("Current", "") end
  if summary == nil and worst == nil then return answer("InProgress", "no declared condition was reported yet") end
  local decider = summary or worst
  if summary == nil and worst.class == "ok" and needsSummary then return answer("InProgress", "the summary condition was not reported yet") end
  if decider == summary and counts(worst) and summary.class ~= "ok" and summary.class ~= "suspended" and ranks[worst.class] > ranks[summary.class] then
    summary.class = worst.class
  end
  local verdict = verdicts[decider.class]
  if decider.class == "ok" and decider == summary and worst ~= nil and ranks[worst.class] > 0 then
    decider = worst
    verdict = verdicts[worst.class]
    if worst.class == "terminal" or worst.class == "transient" then verdict = "Degraded" end
  end
  if silent ~= nil and (verdict == "Current" or verdict == "Degraded") then
    local name = elementName(silent)
    if name ~= "" then name = name .. ": " end
    return answer("InProgress", name .. "conditions were not reported yet")
  end
  local waits = stale and verdict == "InProgress" and decider == summary
  if decider == summary and not stale and worst ~= nil and worst.class ~= "ok" and summary.class ~= "ok" and summary.class ~= "suspended" and
    not (worst.message == "" and summary.message ~= "" and worst.status == summary.status) and
    (ranks[worst.class] >= ranks[summary.class] or reasonOf(worst) == reasonOf(summary)) then
    decider = worst
  end
  if waits and decider == summary then
    local message = "condition " .. decider.type .. " was observed at generation " .. number(decider.seen or 0) .. ", generation is " .. number(generation)
    local name = elementName(decider.element)
    if name ~= "" then message = name .. ": " .. message end
    return answer("InProgress", message)
  end
  return answer(verdict, say(decider, verdict))
end

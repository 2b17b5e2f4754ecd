-- Everything of an object may be of another type than expected, or absent: every step looks first. There is no string library.
local function at(v, k)
  if type(v) == "table" then return v[k] end
end
local function text(v)
  if type(v) == "string" then return v end
  return ""
end
local function whole(v)
  if type(v) == "string" then
    local n = tonumber(v)
    if n ~= nil and tostring(n) == v then return n end
    return nil
  end
  if type(v) == "number" and v % 1 == 0 then return v end
end
local function each(list, f)
  if type(list) ~= "table" then return end
  for i = 1, #list do
    if list[i] ~= nil then f(list[i]) end
  end
end
local function statusOf(v)
  if v == true or v == "True" or v == "true" or v == "TRUE" then return "True" end
  if v == false or v == "False" or v == "false" or v == "FALSE" then return "False" end
  return "Unknown"
end

local meta, status = at(obj, "metadata"), at(obj, "status")
local generation = whole(at(meta, "generation"))
local seen = whole(at(status, "observedGeneration"))

local words = {Current = "Healthy", InProgress = "Progressing", Failed = "Degraded", Degraded = "Degraded", Suspended = "Suspended",
  Terminating = "Progressing", NotFound = "Missing", Unknown = "Unknown"}
local function answer(verdict, message)
  return {status = words[verdict] or "Unknown", message = text(message)}
end
local function number(n) return tostring(n) end
local function impossible(g)
  return generation ~= nil and generation >= 0 and (g > generation or g < -1)
end
local function behind()
  local message = "generation is " .. number(generation) .. ", observed generation is " .. number(seen)
  if impossible(seen) then return answer("Unknown", message) end
  return answer("InProgress", message)
end
local function sentence(c)
  if c.message ~= "" then return c.message end
  return "condition " .. c.type .. " is " .. c.status
end
local function observed(c, n)
  c.seen = whole(at(n, "observedGeneration"))
  return c
end
local function read(n)
  return observed({type = text(at(n, "type")), status = statusOf(at(n, "status")), reason = text(at(n, "reason")), message = text(at(n, "message")),
    severity = text(at(n, "severity")), time = text(at(n, "lastTransitionTime"))}, n)
end
local order = {False = 0, Unknown = 1, True = 2}
local function before(a, b)
  if a.status ~= b.status then return order[a.status] < order[b.status] end
  if a.reason ~= b.reason then return a.reason < b.reason end
  if a.message ~= b.message then return a.message < b.message end
  if a.time ~= b.time then return a.time < b.time end
  if a.seen == nil or b.seen == nil then return a.seen == nil and b.seen ~= nil end
  return a.seen < b.seen
end

-- No rule of the catalog is about this object: the usual conditions decide, as kstatus reads them, and an object without a status is in progress.
local function blank(v)
  if type(v) ~= "table" then return text(v) == "" end
  for _, one in pairs(v) do
    if one ~= "" and (type(one) ~= "table" or next(one) ~= nil) then return false end
  end
  return #v == 0
end
local function silent()
  if isConfiguration and (status == nil or isProvider) and at(at(obj, "spec"), "replicas") == nil and blank(at(meta, "ownerReferences")) then
    return answer("Current", "objects of kinds with such a name hold configuration")
  end
  if status == nil and blank(at(obj, "spec")) then
    for key in pairs(obj) do
      if key ~= "apiVersion" and key ~= "kind" and key ~= "metadata" and key ~= "spec" and key ~= "status" then
        return answer("Current", "the object has neither spec nor status, only data")
      end
    end
  end
  if isSchedule and status == nil then return answer("Current", "a schedule has nothing to report before its first run") end
  return answer("InProgress", "no status was reported yet")
end
local function usual()
  if blank(status) then return silent() end
  if seen ~= nil and generation ~= nil and seen ~= generation then return behind() end
  local found = {}
  each(at(status, "conditions"), function(n)
    local c = read(n)
    if found[c.type] == nil or before(c, found[c.type]) then found[c.type] = c end
  end)
  local c = found.Reconciling
  if c ~= nil and c.status == "True" then return answer("InProgress", sentence(c)) end
  c = found.Stalled
  if c ~= nil and c.status == "True" then return answer("Failed", sentence(c)) end
  c = found.Ready or found.Available
  if c == nil then
    local list = at(status, "conditions")
    if list == nil then return answer("Current", "the status holds nothing that can be judged") end
    if type(list) == "table" and next(list) == nil then return answer("InProgress", "no condition was reported yet") end
    return answer("Current", "")
  end
  if c.status == "True" then return answer("Current", sentence(c)) end
  return answer("InProgress", sentence(c))
end

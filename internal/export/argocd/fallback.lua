-- No rule of the catalog is about this object: the usual conditions decide, as kstatus reads them.
local function usual()
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
  if c == nil then return answer("Current", "") end
  if c.status == "True" then return answer("Current", sentence(c)) end
  return answer("InProgress", sentence(c))
end

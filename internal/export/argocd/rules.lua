-- The rules and tables of the catalog, in their order. A rule that reads a status about an older generation does not count.
local list = status
list = obj
for _, name in ipairs(at_) do list = at(list, name) end
local function find(name)
  local found = nil
  each(list, function(n)
    if text(at(n, "type")) ~= name then return end
    local c = read(n)
    if found == nil or before(c, found) then found = c end
  end)
  return found
end
local function old(c)
  return c ~= nil and c.seen ~= nil and c.seen >= 0 and generation ~= nil and c.seen < generation
end
local function oldAny(names)
  for _, name in ipairs(names) do
    if old(find(name)) then return true end
  end
  return false
end
local function scalar(v)
  local number = whole(v)
  if type(v) == "number" and number ~= nil then return number .. "" end
  if v == true then return "true" elseif v == false then return "false" end
  return text(v)
end
local function says(state, word, reason)
  local v = state.words[word .. "/" .. reason]
  if v == nil and reason ~= "" then v = state.words[word .. "/"] end
  if v ~= nil then return v end
  if word == "" then return state.absent end
  return state.otherwise
end
local function byState(state)
  local verdict, message
  if state.condition ~= nil then
    local c = find(state.condition)
    if old(c) then return nil end
    if c == nil then
      verdict = says(state, "", "")
    else
      verdict, message = says(state, c.status, c.reason), sentence(c)
    end
  else
    local v = obj
    for _, name in ipairs(state.path) do v = at(v, name) end
    v = scalar(v)
    verdict = says(state, v, "")
    if v ~= "" then message = state.path[#state.path] .. " is " .. v end
  end
  if verdict == nil then return nil end
  if state.message ~= nil then
    local v = obj
    for _, name in ipairs(state.message) do v = at(v, name) end
    v = scalar(v)
    if v ~= "" then message = v end
  end
  return verdict, message
end
local function failsNowBy(state)
  local c = nil
  if state.condition ~= nil then c = find(state.condition) end
  if c == nil or c.seen == nil or generation == nil or c.seen < generation then return false end
  local verdict = says(state, c.status, c.reason)
  if verdict == nil then return false end
  return true, (verdict == "Failed" or verdict == "Degraded") and c.seen == generation
end
local function packed()
  local stale = seen ~= nil and generation ~= nil and seen < generation
  local only = stale and afterSuccess
  if only then stale = false end
  local function result(verdict, message)
    if only and verdict ~= "Failed" and verdict ~= "Degraded" then return nil end
    if verdict == "Current" and not readsGeneration and seen ~= nil and generation ~= nil and seen ~= generation and
      not (seen > generation and type(at(status, "observedGeneration")) == "string") then
      return behind()
    end
    return answer(verdict, message)
  end
  for _, rule in ipairs(rules) do
    if not (stale and rule.status) and not oldAny(rule.conditions) and (rule.when == nil or rule.when() == true) then
      local message = nil
      local about = nil
      for _, name in ipairs(rule.conditions) do
        local c = find(name)
        if c ~= nil then
          local bad = rule.verdict ~= "Current" and rule.bad[name .. "/" .. c.status]
          if about == nil or bad then about = c end
          if bad then break end
        end
      end
      if about ~= nil then message = sentence(about) end
      if rule.message ~= nil then
        local own = rule.message()
        if type(own) == "string" then message = own end
      end
      return result(rule.verdict, message)
    end
  end
  if stale then
    for _, state in ipairs(states) do
      local decides, broken = failsNowBy(state)
      if decides then
        if not broken then return nil end
        return result(byState(state))
      end
    end
    return nil
  end
  for _, state in ipairs(states) do
    local verdict, message = byState(state)
    if verdict ~= nil then return result(verdict, message) end
  end
end

-- Expressions: E is an error, which && and || may absorb; O marks an optional value, and N is one without a value.
local E, O = {}, {}
local N = {[O] = true}
local function opt(v)
  if v == nil then return N end
  if v == E then return E end
  return {[O] = true, v = v}
end
local function maybe(v, k)
  if v == E or k == E then return E end
  if type(v) == "table" and v[O] then v = v.v end
  if type(v) ~= "table" then return N end
  if #v > 0 then return E end
  return opt(v[k])
end
local function has(v, k)
  if v == E then return E end
  if type(v) == "table" and v[O] then v = v.v end
  if type(v) ~= "table" then return false end
  if #v > 0 then return E end
  return v[k] ~= nil
end
local function field(v, k)
  if v == E or k == E or type(v) ~= "table" then return E end
  if v[O] then return maybe(v, k) end
  local r = v[k]
  if r == nil then return E end
  return r
end
local function isList(v) return type(v) == "table" and v ~= E and not v[O] and (#v > 0 or next(v) == nil) end
local function index(v, k)
  if v == E or type(v) ~= "table" then return E end
  if type(k) == "number" then
    if k % 1 ~= 0 then return E end
    return field(v, k + 1)
  end
  return field(v, k)
end
local function both(a, b)
  if a == false or b == false then return false end
  if a ~= true or b ~= true then return E end
  return true
end
local function either(a, b)
  if a == true or b == true then return true end
  if a ~= false or b ~= false then return E end
  return false
end
local function negate(a)
  if type(a) ~= "boolean" then return E end
  return not a
end
local function choose(c, a, b)
  if c == true then return a end
  if c == false then return b end
  return E
end
local function equal(a, b)
  if a == E or b == E then return E end
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for k, v in pairs(a) do
    if b[k] == nil or equal(v, b[k]) ~= true then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end
local function unequal(a, b) return negate(equal(a, b)) end
local function comparable(a, b) return type(a) == type(b) and (type(a) == "number" or type(a) == "string") end
local function less(a, b)
  if not comparable(a, b) then return E end
  return a < b
end
local function lessEqual(a, b)
  if not comparable(a, b) then return E end
  return a <= b
end
local function within(v, l)
  if v == E or l == E or type(l) ~= "table" then return E end
  if isList(l) then
    for i = 1, #l do
      if equal(v, l[i]) == true then return true end
    end
    return false
  end
  return l[v] ~= nil
end
local function plus(a, b)
  if type(a) == "number" and type(b) == "number" then return a + b end
  if type(a) == "string" and type(b) == "string" then return a .. b end
  if not isList(a) or not isList(b) then return E end
  local out = {}
  for i = 1, #a do out[#out + 1] = a[i] end
  for i = 1, #b do out[#out + 1] = b[i] end
  return out
end
local function minus(a, b)
  if type(a) ~= "number" or type(b) ~= "number" then return E end
  return a - b
end
local function array(l)
  for i = 1, #l do
    if l[i] == E then return E end
  end
  return l
end
local function size(v)
  if v == E or v == nil then return E end
  if type(v) == "string" then return #v end
  if type(v) ~= "table" then return E end
  if #v > 0 then return #v end
  local n = 0
  for _ in pairs(v) do n = n + 1 end
  return n
end
local function str(v)
  if v == E or type(v) == "table" or v == nil then return E end
  return tostring(v)
end
local function int(v)
  if type(v) == "string" then
    local n = whole(v)
    if n == nil then return E end
    return n
  end
  if type(v) ~= "number" then return E end
  if v < 0 then return -((-v) - (-v) % 1) end
  return v - v % 1
end
local function orValue(v, d)
  if type(v) ~= "table" or not v[O] then return E end
  if v.v == nil then return d end
  return v.v
end
local function hasValue(v)
  if type(v) ~= "table" or not v[O] then return E end
  return v.v ~= nil
end
local function value(v) return orValue(v, E) end
local function fold(range, accu, step)
  if range == E or type(range) ~= "table" or range[O] then return E end
  if isList(range) then
    for i = 1, #range do accu = step(range[i], accu) end
    return accu
  end
  local keys = {}
  for k in pairs(range) do keys[#keys + 1] = k end
  table.sort(keys)
  for _, k in ipairs(keys) do accu = step(k, accu) end
  return accu
end
local function join(l, separator)
  if not isList(l) then return E end
  for i = 1, #l do
    if type(l[i]) ~= "string" then return E end
  end
  return table.concat(l, separator or "")
end
local function sort(l)
  if not isList(l) then return E end
  local out = {}
  for i = 1, #l do
    if not comparable(l[i], l[1]) then return E end
    out[i] = l[i]
  end
  table.sort(out)
  return out
end
local function sum(l)
  if not isList(l) then return E end
  local n = 0
  for i = 1, #l do
    if type(l[i]) ~= "number" then return E end
    n = n + l[i]
  end
  return n
end
local function flatten(l)
  if not isList(l) then return E end
  local out = {}
  for i = 1, #l do
    if isList(l[i]) then
      for j = 1, #l[i] do out[#out + 1] = l[i][j] end
    else
      out[#out + 1] = l[i]
    end
  end
  return out
end
local function distinct(l)
  if not isList(l) then return E end
  local out = {}
  for i = 1, #l do
    if within(l[i], out) == false then out[#out + 1] = l[i] end
  end
  return out
end
local function matchAt(s, part, from)
  if from < 0 or from + #part > #s then return false end
  for i = 1, #part do
    if s[from + i] ~= part[i] then return false end
  end
  return true
end
local function starts(s, part)
  if type(s) ~= "string" or type(part) ~= "string" then return E end
  return matchAt(chars(s), chars(part), 0)
end
local function ends(s, part)
  if type(s) ~= "string" or type(part) ~= "string" then return E end
  return matchAt(chars(s), chars(part), #s - #part)
end
local function contains(s, part)
  if type(s) ~= "string" or type(part) ~= "string" then return E end
  local a, b = chars(s), chars(part)
  for from = 0, #s - #part do
    if matchAt(a, b, from) then return true end
  end
  return false
end
local function lower(s)
  if type(s) ~= "string" then return E end
  local out = {}
  for i, c in ipairs(chars(s)) do
    if c >= 66 and c <= 91 then c = c + 32 end
    out[i] = bytes[c]
  end
  return table.concat(out)
end
local weights = {False = 0, Unknown = 6, True = 14}
local fields = {"status", "reason", "message", "severity", "lastTransitionTime"}
local function condition(o, name)
  local found = {type = name, status = "Unknown", reason = "", message = "", severity = "", lastTransitionTime = ""}
  local any = false
  if type(o) ~= "table" or o == E then return E end
  local l = o
  for _, step in ipairs(at_) do l = at(l, step) end
  each(l, function(n)
    local own = text(at(n, "type"))
    if own ~= name and aliases[own] ~= name then return end
    local c = {type = name}
    for _, key in ipairs(fields) do c[key] = text(at(n, key)) end
    local s = at(n, "status")
    if s == true then c.status = "True" elseif s == false then c.status = "False" elseif c.status == "" then c.status = "Unknown" end
    local better = not any
    if any then
      local x, y = weights[c.status] or -1, weights[found.status] or -1
      if x ~= y then
        better = x < y
      else
        for _, key in ipairs(fields) do
          if c[key] ~= found[key] then
            better = c[key] < found[key]
            break
          end
        end
      end
    end
    if better then found, any = c, true end
  end)
  return found
end

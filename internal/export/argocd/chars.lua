-- The bytes of a text: without a string library they are found by comparing prefixes.
local bytes = {BYTES}
local known = {}
local function chars(s)
  if known[s] ~= nil then return known[s] end
  local out, prefix = {}, ""
  while #prefix < #s do
    local low, high = 1, 256
    while low < high do
      local middle = (low + high + 1 - (low + high + 1) % 2) / 2
      if prefix .. bytes[middle] <= s then low = middle else high = middle - 1 end
    end
    out[#out + 1] = low
    prefix = prefix .. bytes[low]
  end
  known[s] = out
  return out
end
local function endsWith(s, part)
  local a, b = chars(s), chars(part)
  if #b > #a then return false end
  for i = 1, #b do
    if a[#a - #b + i] ~= b[i] then return false end
  end
  return true
end

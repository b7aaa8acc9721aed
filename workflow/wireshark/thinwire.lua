-- What Wireshark and tshark (4.0 and newer) have to know to read Thinwire's captures: the payload that
-- every protocol carries, and the header of raw TCP and UDP.
--
-- tw      the payload (firmware/core/app/workload.h), wherever a dissector has found one
-- tw_raw  messages over TCP and UDP themselves (firmware/core/protocols/raw/raw_header.h)

-- Lua's constants, where `dissect` keeps tshark from its folder; a console is not wanted.
if not base then
    local file = assert(io.open(os.getenv("THINWIRE_WIRESHARK") .. "/init.lua"))
    local place = setmetatable({ dofile = function() end }, { __index = _G, __newindex = _G })
    assert(load(file:read("*a"), "init.lua", "t", place))()
    file:close()
end

local tw = Proto("tw", "Thinwire Message")
local device = ProtoField.string("tw.device", "Device", base.ASCII, "Who made the message")
local seq = ProtoField.uint32("tw.seq", "Sequence number", base.DEC, nil, nil,
                              "A compact payload with too little room has its last digits")
local time = ProtoField.relative_time("tw.time", "Made at",
                                      "By the maker's clock; absent in a compact payload")
local size = ProtoField.uint32("tw.size", "Size", base.DEC, nil, nil, "Bytes of the payload")
local body = ProtoField.uint32("tw.http_body", "HTTP body", base.DEC, nil, nil,
                               "Bytes of a body, also of one that the connection's end ends")
local head = ProtoField.bytes("tw.head", "Start", base.NONE, "The first bytes of a payload")
tw.fields = { device, seq, time, size, body, head }

local raw = Proto("tw_raw", "Thinwire Raw Protocol")
local kinds = { [0] = "TEXT", [1] = "DATA", [2] = "ACK" }
local kind = ProtoField.uint8("tw_raw.type", "Type", base.DEC, kinds, nil, "TEXT has no header")
local wanted = ProtoField.bool("tw_raw.ack_wanted", "Acknowledgement wanted", 8, nil, 1)
local length = ProtoField.uint16("tw_raw.size", "Payload size", base.DEC)
local number = ProtoField.uint32("tw_raw.seq", "Sequence number", base.DEC)
raw.fields = { kind, wanted, length, number }

-- Where dissectors put a payload.
local payloads = {}
for _, name in ipairs({ "mqtt.msg", "mqtt.msg_text", "mqttsn.pub.msg", "oscore.payload",
                        "coap.payload", "http.file_data", "websocket.payload", "amqp.payload", "data.data" }) do
    payloads[#payloads + 1] = Field.new(name)
end

local file_data = Field.new("http.file_data")

local ID_BYTES, UINT32_MAX = 23, 0xffffffff
local SHOWN_BYTES = 32 -- as hil/peers/log.py logs
local HEADER_BYTES, PAYLOAD_MAX = 8, 16384 -- firmware/core/engine.h
local DATA, ACK = 1, 2
local RAW_PORT = 7 -- of Echo, which is no protocol to dissect (workflow/protocols.yaml)
local TCP = 2 -- pinfo.port_type

-- What a payload says: device, sequence number, seconds and microseconds; nil for foreign bytes.
local function read(text)
    local id, digits, clock = text:match("^([!-9;-~]+) (%d+) (%d+) ?%.*$")
    if not id then
        id, digits = text:match("^([!-9;-~]*):(%d+)%.*$")
    end
    if not id or #id > ID_BYTES or #digits > 10 or tonumber(digits) > UINT32_MAX then
        return nil
    end
    if not clock or #clock > 20 then
        return id, tonumber(digits)
    end
    return id, tonumber(digits), tonumber(clock:sub(1, -7)) or 0, tonumber(clock:sub(-6))
end

-- Show the payload in these bytes; false for foreign ones.
local function show(range, pinfo, tree)
    local id, count, seconds, micros = read(range:raw())
    if not id then
        return false
    end
    local branch = tree:add(tw, range)
    branch:append_text((", %s #%d"):format(id, count))
    branch:add(device, range, id)
    branch:add(seq, range, count)
    if seconds then
        branch:add(time, range, NSTime.new(seconds, micros * 1000))
    end
    branch:add(size, range, range:len()):set_generated()
    pinfo.cols.info:append((" [%s #%d]"):format(id, count))
    return true
end

local none = {}

-- A list of values, nil if there is none, as in most frames.
local function list(first, ...)
    return first and { first, ... }
end

function tw.dissector(_, pinfo, tree)
    local found, first = false, nil -- a payload within a payload is the same bytes again
    for i = 1, #payloads do
        for _, item in ipairs(list(payloads[i]()) or none) do
            if item.len > 0 then
                found = show(item.range, pinfo, tree) or found
                first = first or i
                if first == i then
                    tree:add(head, item.range(0, math.min(item.len, SHOWN_BYTES))):set_hidden()
                end
            end
        end
    end
    for _, item in ipairs(list(file_data()) or none) do
        tree:add(body, item.range, item.len):set_generated()
    end
    return found and 1 or 0
end

-- A record of a header and its payload: type, payload size and sequence number; nil if no header.
local function header(tvb, at)
    local type, flags = tvb(at, 1):uint(), tvb(at + 1, 1):uint()
    local bytes = tvb(at + 2, 2):uint()
    if type == DATA and flags <= 1 and bytes <= PAYLOAD_MAX
        or type == ACK and flags == 0 and bytes == 0 then
        return { type = type, at = at, head = HEADER_BYTES, size = bytes,
                 seq = tvb(at + 4, 4):uint() }
    end
    return nil
end

-- The records that fill a buffer; a stream's last one may be incomplete. Returns them, and where the
-- incomplete one begins and how many bytes it lacks (nil: unknown). No records: foreign bytes.
local function framed(tvb)
    local records, at, stop = {}, 0, tvb:len()
    while at < stop do
        if stop - at < HEADER_BYTES then
            local first = tvb(at, 1):uint()
            if first ~= DATA and first ~= ACK then
                return {}
            end
            return records, at, nil
        end
        local found = header(tvb, at)
        if not found then
            return {}
        end
        local behind = at + HEADER_BYTES + found.size
        if behind > stop then
            local text = at + HEADER_BYTES < stop and tvb:raw(at + HEADER_BYTES) or ""
            if text:find("[^ -~]") then -- no beginning of a payload
                return {}
            end
            return records, at, behind - stop
        end
        records[#records + 1] = found
        at = behind
    end
    return records
end

-- Payloads one behind another without any header.
local function unframed(tvb)
    local records, at, text = {}, 1, tvb:raw()
    while at <= #text do
        local digits, behind = text:match("^[!-9;-~]+ (%d+) %d+[ .]*()", at)
        if not digits then
            digits, behind = text:match("^[!-9;-~]+:(%d+)[ .]*()", at)
        end
        if not digits or #digits > 10 or tonumber(digits) > UINT32_MAX then
            return {}
        end
        records[#records + 1] = { type = 0, at = at - 1, head = 0, size = behind - at,
                                  seq = tonumber(digits) }
        at = behind
    end
    return records
end

local function add_record(record, tvb, pinfo, tree)
    local at = record.at
    local branch = tree:add(raw, tvb(at, record.head + record.size))
    branch:append_text((", %s #%d"):format(kinds[record.type], record.seq))
    if record.head > 0 then
        branch:add(kind, tvb(at, 1))
        branch:add(wanted, tvb(at + 1, 1))
        branch:add(length, tvb(at + 2, 2))
        branch:add(number, tvb(at + 4, 4))
    else
        branch:add(kind, tvb(at, 0), record.type):set_generated()
        branch:add(length, tvb(at, 0), record.size):set_generated()
        branch:add(number, tvb(at, 0), record.seq):set_generated()
    end
    if record.size > 0 then
        show(tvb(at + record.head, record.size), pinfo, branch)
    end
end

-- Returns the bytes taken: all, or none of foreign ones.
local function dissect(tvb, pinfo, tree)
    local stream = pinfo.port_type == TCP
    local records, rest, lacking = framed(tvb)
    if #records == 0 and not rest and stream then
        records = unframed(tvb)
    end
    if rest and pinfo.can_desegment == 0 or #records == 0 and not rest then
        return 0
    end
    pinfo.cols.protocol = stream and "TW TCP" or "TW UDP"
    pinfo.cols.info = ""
    for i, record in ipairs(records) do
        local name = record.type == ACK and "ACK #" .. record.seq or kinds[record.type]
        pinfo.cols.info:append(i > 1 and " " .. name or name)
        add_record(record, tvb, pinfo, tree)
    end
    if rest then
        pinfo.desegment_offset = rest
        pinfo.desegment_len = lacking or DESEGMENT_ONE_MORE_SEGMENT
    end
    return tvb:len()
end

raw.dissector = dissect

-- On any port: whole records, or the beginning of one whose payload says the same number.
local function is_raw(tvb, stream)
    if tvb:len() <= HEADER_BYTES or tvb(0, 1):uint() ~= DATA then
        return stream and #unframed(tvb) > 0
    end
    local records, rest = framed(tvb)
    if #records == 0 and rest == 0 then
        local text = tvb:raw(HEADER_BYTES, tvb:len() - HEADER_BYTES)
        return tonumber(text:match("^[!-9;-~]+[ :](%d+)[ .]") or "") == tvb(4, 4):uint()
    end
    return #records > 0 and (stream or not rest)
end

local function guess(tvb, pinfo, tree)
    if not is_raw(tvb, pinfo.port_type == TCP) or dissect(tvb, pinfo, tree) == 0 then
        return false
    end
    pinfo.conversation = raw -- acknowledgements alone would not be recognised
    return true
end

DissectorTable.get("tcp.port"):add(RAW_PORT, raw)
DissectorTable.get("udp.port"):add(RAW_PORT, raw)
raw:register_heuristic("tcp", guess)
raw:register_heuristic("udp", guess)
raw:register_heuristic("tls", guess)
raw:register_heuristic("dtls", guess)

-- WebSocket on a port that is named for it. A conversation whose opening handshake was captured is
-- HTTP's, whose dissector follows it; of another one each segment begins with a frame.
local socket = Proto("tw_websocket", "Thinwire WebSocket")
function socket.dissector(tvb, pinfo, tree)
    local start = tvb:raw(0, math.min(4, tvb:len()))
    local name = start:match("^%u%u%u[%u ]") and "http" or "websocket" -- a method, or HTTP/1.1
    if pinfo.can_desegment > 0 then
        pinfo.can_desegment = 2 -- a call takes one away, and this is the second
    end
    return Dissector.get(name):call(tvb, pinfo, tree)
end
DissectorTable.get("tcp.port"):add_for_decode_as(socket)

-- MQTT-SN within DTLS: tshark knows it by ports of UDP only (workflow/wireshark/dissect names them).
local sealed = Proto("tw_dtls", "Thinwire MQTT-SN over DTLS")
local MQTTSN_PORT, SEALED_PORT = 1885, 8883 -- workflow/protocols.yaml
function sealed.dissector(tvb, pinfo, tree)
    return DissectorTable.get("udp.port"):try(MQTTSN_PORT, tvb, pinfo, tree)
end
DissectorTable.get("dtls.port"):add(SEALED_PORT, sealed)
register_postdissector(tw)

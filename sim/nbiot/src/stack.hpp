// The protocol stacks under study, as dialogues of messages above TCP or UDP.
#pragma once

#include <string>
#include <vector>

namespace nbiot {

// Which side retransmits an unanswered datagram.
enum class Retry { kNone, kCoap, kDtls, kMqttSn };

// One exchange: datagrams (or, over TCP, bytes of the stream) up, then down. 0 bytes: none.
struct Exchange {
    std::vector<int> up;
    int down = 0;
    Retry retry = Retry::kNone;
};

struct Stack {
    std::string name;
    bool tcp = false;
    bool established = false;        // TCP: the connection of an earlier report is still open
    bool fast_open = false;          // TCP: data in the SYN (RFC 7413)
    std::vector<Exchange> exchanges; // the report is the last datagram of the last exchange
};

// The stack with a report of `payload_bytes`, application header included (study 2.4); throws
// std::invalid_argument for a name that is not in stack_names().
Stack make_stack(const std::string &name, int payload_bytes);

// coap-non, coap-con, mqtt: the study's stacks. The rest: questions that it leaves open.
const std::vector<std::string> &stack_names();

} // namespace nbiot

#include "stack.hpp"

#include <functional>
#include <stdexcept>

namespace nbiot {

namespace {

// Flights of the handshakes without connection identifier, raw public keys or a pre-shared key
// (resumption): draft-ietf-iotops-security-protocol-comparison-04, figures 2 and 4 (CCM_8, P-256).
struct Handshake {
    int first, second, third;
};
constexpr Handshake kDtlsRawKey{179, 447, 254};
constexpr Handshake kDtlsResumption{130, 146, 55};
constexpr Handshake kTlsRawKey{162, 394, 233};
constexpr Handshake kTlsResumption{113, 117, 50};
// Record overhead with an 8-byte tag: DTLS 1.3 header of 2 bytes and type (RFC 9147 4, figure 4),
// one byte more with a connection identifier; TLS 1.3 header of 5 bytes and type (RFC 8446 5.2).
constexpr int kDtlsRecord = 2 + 1 + 8;
constexpr int kDtlsCidRecord = kDtlsRecord + 1;
constexpr int kTlsRecord = 5 + 1 + 8;
constexpr int kCoapEmptyAck = 4; // RFC 7252 3 and 4.2
constexpr int kMqttSnPuback = 7; // MQTT-SN 1.2, 5.4.13
constexpr int kMqttConnect = 22; // MQTT 3.1.1, 3.1: fixed 2, variable 10, client id 2 + 8
constexpr int kMqttConnack = 4;  // MQTT 3.1.1, 3.2

Stack udp(std::vector<Exchange> exchanges) {
    return {"", false, false, false, std::move(exchanges)};
}

Stack tcp(std::vector<Exchange> exchanges, bool established = false, bool fast_open = false) {
    return {"", true, established, fast_open, std::move(exchanges)};
}

Stack coap_dtls(const Handshake &h, int payload) {
    return udp({{{h.first}, h.second, Retry::kDtls},
                {{h.third, payload + kDtlsRecord}, kCoapEmptyAck + kDtlsRecord, Retry::kCoap}});
}

Stack mqtt_tls(const Handshake &h, int payload) {
    return tcp(
        {{{h.first}, h.second, Retry::kNone}, {{h.third + payload + kTlsRecord}, 0, Retry::kNone}});
}

using Maker = std::function<Stack(int)>;

const std::vector<std::pair<std::string, Maker>> &makers() {
    static const std::vector<std::pair<std::string, Maker>> list{
        {"coap-non", [](int p) { return udp({{{p}, 0, Retry::kNone}}); }},
        {"coap-con", [](int p) { return udp({{{p}, kCoapEmptyAck, Retry::kCoap}}); }},
        {"mqtt", [](int p) { return tcp({{{p}, 0, Retry::kNone}}); }},
        {"mqttsn", [](int p) { return udp({{{p}, kMqttSnPuback, Retry::kMqttSn}}); }},
        {"mqtt-connect",
         [](int p) {
             return tcp({{{kMqttConnect}, kMqttConnack, Retry::kNone}, {{p}, 0, Retry::kNone}});
         }},
        {"mqtt-tfo", [](int p) { return tcp({{{p}, 0, Retry::kNone}}, false, true); }},
        {"mqtt-persistent", [](int p) { return tcp({{{p}, 0, Retry::kNone}}, true); }},
        {"mqtt-tls-rpk", [](int p) { return mqtt_tls(kTlsRawKey, p); }},
        {"mqtt-tls-psk", [](int p) { return mqtt_tls(kTlsResumption, p); }},
        {"mqtt-tls-persistent",
         [](int p) { return tcp({{{p + kTlsRecord}, 0, Retry::kNone}}, true); }},
        {"coap-dtls-rpk", [](int p) { return coap_dtls(kDtlsRawKey, p); }},
        {"coap-dtls-psk", [](int p) { return coap_dtls(kDtlsResumption, p); }},
        {"coap-dtls-cid", [](int p) {
             return udp({{{p + kDtlsCidRecord}, kCoapEmptyAck + kDtlsCidRecord, Retry::kCoap}});
         }}};
    return list;
}

} // namespace

Stack make_stack(const std::string &name, int payload_bytes) {
    for (const auto &[known, make] : makers())
        if (known == name) {
            Stack stack = make(payload_bytes);
            stack.name = name;
            return stack;
        }
    throw std::invalid_argument("no stack is called " + name);
}

const std::vector<std::string> &stack_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const auto &entry : makers())
            list.push_back(entry.first);
        return list;
    }();
    return names;
}

} // namespace nbiot

#include "drive.h"

FUZZ(mend_mqtt, "proto=mqtt5 qos=0 topic_alias=1",
     "proto=mqtt5 qos=1 payload_bytes=16384 clean=0 session_expiry_s=9 message_expiry_s=5",
     "proto=mqtt5 qos=2 clean=0 will=1 assigned_id=1",
     "proto=mqtt5 role=subscribe qos=2 clean=0 topic_alias=1 receive_max=3",
     "proto=mqtt5 role=echo qos=1 clean=0 topic_alias=1", "proto=mqtt5 role=echo qos=0",
     "proto=mqtt5 qos=1 pace=answer", "proto=mqtt5 role=subscribe packet_max=64")

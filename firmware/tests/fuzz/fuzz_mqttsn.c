#include "drive.h"

FUZZ(mend_mqttsn, "proto=mqttsn qos=0", "proto=mqttsn qos=1 will=1 clean=0",
     "proto=mqttsn qos=2 topic_type=predefined", "proto=mqttsn search=1 role=subscribe qos=2",
     "proto=mqttsn qos=-1 topic_type=short topic=ab", "proto=mqttsn role=subscribe sleep_s=10",
     "proto=mqttsn role=echo qos=1", "proto=mqttsn qos=1 topic_type=predefined sleep_s=10")

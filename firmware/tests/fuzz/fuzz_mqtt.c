#include "drive.h"

FUZZ(mend_mqtt, "proto=mqtt qos=0", "proto=mqtt qos=1 payload_bytes=16384",
     "proto=mqtt qos=2 clean=0 will=1", "proto=mqtt role=subscribe qos=2 clean=0",
     "proto=mqtt role=echo qos=1", "proto=mqtt role=subscribe quirks=first_message_per_segment",
     "proto=mqtt role=subscribe qos=2 quirks=byte_at_a_time_read")

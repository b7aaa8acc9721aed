#include "drive.h"

FUZZ(mend_coap, "proto=coap role=serve topic=a", "proto=coap role=serve topic=a separate_ms=100",
     "proto=coap role=serve topic=a block_bytes=16 confirmable=0 payload_bytes=100",
     "proto=coap role=serve topic=a observe=0")

#include "drive.h"

FUZZ(mend_coap, "proto=coap", "proto=coap confirmable=0", "proto=coap inflight=4 block_bytes=32",
     "proto=coap role=subscribe", "proto=coap role=subscribe observe=0 block_bytes=64")

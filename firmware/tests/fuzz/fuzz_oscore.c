#include "drive.h"

FUZZ(mend_coap, "proto=oscore", "proto=oscore confirmable=0",
     "proto=oscore inflight=4 block_bytes=32", "proto=oscore inflight=2 sender_id=x",
     "proto=oscore inflight=2 rederive=1")

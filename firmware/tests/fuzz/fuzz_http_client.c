#include "drive.h"

FUZZ(mend_nothing, "proto=http", "proto=http chunked=1 keep_alive=0 payload_bytes=16384",
     "proto=http role=subscribe", "proto=http port=8080")

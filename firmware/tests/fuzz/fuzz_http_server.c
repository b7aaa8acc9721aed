#include "drive.h"

FUZZ(mend_nothing, "proto=http role=serve topic=a",
     "proto=http role=serve topic=a chunked=1 payload_bytes=16384",
     "proto=http role=serve topic=a keep_alive=0", "proto=http role=serve topic=a pieces=1")

#include "drive.h"

FUZZ(mend_raw, "proto=tcp payload_bytes=16384", "proto=tcp confirmable=0", "proto=tcp role=serve",
     "proto=tcp role=subscribe")

#include "drive.h"

FUZZ("proto=http", "proto=http chunked=1 keep_alive=0", "proto=http role=subscribe")

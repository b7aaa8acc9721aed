#include "drive.h"

FUZZ(mend_websocket, "proto=websocket payload_bytes=16384",
     "proto=websocket confirmable=0 fragment_bytes=64", "proto=websocket role=subscribe",
     "proto=websocket role=echo")

#include "drive.h"

FUZZ(mend_amqp, "proto=amqp payload_bytes=16384", "proto=amqp confirmable=0",
     "proto=amqp clean=0 inflight=4", "proto=amqp role=subscribe",
     "proto=amqp role=subscribe confirmable=0")

"""CoAP: aiocoap's and libcoap's servers, requesters."""

/*
 * What a fork server (forkserver.c) and its requests (request.c) have in common.
 */
#ifndef FORKSERVER_H
#define FORKSERVER_H

/* Descriptors of a server, above those that `dissect` uses. */
#define LISTENER 20
#define KEEPER 21
#define LIBRARY 22

#define GIVEN 3 /* descriptors of a request: capture, output, errors */

#endif

/* A mosquitto plugin: asks the registry whether a client may connect, and allows it to publish to
 * its own topic only.
 *
 * The registry listens on the Unix socket named by the option `registry`: it reads client
 * identifier and password, one line each, and answers "1" or "0". No answer means a refusal. The
 * declarations are those that it uses of mosquitto's plugin interface 5 (mosquitto_plugin.h,
 * mosquitto_broker.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define INTERFACE 5
#define SUCCESS 0
#define INVALID 3
#define AUTH 11
#define ACL_DENIED 12
#define EVENT_ACL_CHECK 2
#define EVENT_BASIC_AUTH 3
#define ACCESS_WRITE 2
#define ANSWER_S 5
#define LONGEST 8192

struct option {
    char *key, *value;
};
struct client;
struct basic_auth {
    void *future;
    struct client *client;
    char *username, *password;
    void *future2[4];
};
struct acl_check {
    void *future;
    struct client *client;
    const char *topic;
    const void *payload;
    void *properties;
    int access;
    uint32_t length;
    uint8_t qos;
    bool retain;
    void *future2[4];
};
typedef int (*callback)(int, void *, void *);
const char *mosquitto_client_id(const struct client *client);
int mosquitto_callback_register(void *plugin, int event, callback call, const void *data,
                                void *user);

static struct sockaddr_un place = {.sun_family = AF_UNIX};
static void *self;

static bool send_all(int registry, const char *text, size_t length) {
    while (length) {
        ssize_t sent = send(registry, text, length, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool ask(const char *question, size_t length) {
    char answer = 0;
    struct timeval limit = {.tv_sec = ANSWER_S};
    int registry = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (registry < 0)
        return false;
    setsockopt(registry, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    bool yes = connect(registry, (struct sockaddr *)&place, sizeof place) == 0 &&
               send_all(registry, question, length) && recv(registry, &answer, 1, 0) == 1 &&
               answer == '1';
    close(registry);
    return yes;
}

static int on_connect(int event, void *data, void *user) {
    (void)event, (void)user;
    const struct basic_auth *auth = data;
    const char *id = mosquitto_client_id(auth->client);
    char question[LONGEST];
    if (!id || !auth->password || strchr(id, '\n') || strchr(auth->password, '\n'))
        return AUTH;
    int length = snprintf(question, sizeof question, "%s\n%s\n", id, auth->password);
    if (length < 0 || (size_t)length >= sizeof question)
        return AUTH;
    return ask(question, (size_t)length) ? SUCCESS : AUTH;
}

static int on_access(int event, void *data, void *user) {
    (void)event, (void)user;
    const struct acl_check *check = data;
    const char *id = mosquitto_client_id(check->client);
    const char *device = id ? strrchr(id, '/') : NULL;
    char own[LONGEST];
    if (!device || check->access != ACCESS_WRITE)
        return ACL_DENIED;
    int length = snprintf(own, sizeof own, "/devices%s/events", device);
    if (length < 0 || (size_t)length >= sizeof own)
        return ACL_DENIED;
    return strcmp(check->topic, own) == 0 ? SUCCESS : ACL_DENIED;
}

int mosquitto_plugin_version(int known, const int *versions) {
    for (int i = 0; i < known; i++)
        if (versions[i] == INTERFACE)
            return INTERFACE;
    return -1;
}

int mosquitto_plugin_init(void *plugin, void **user, struct option *options, int count) {
    (void)user;
    const char *path = NULL;
    for (int i = 0; i < count; i++)
        if (strcmp(options[i].key, "registry") == 0)
            path = options[i].value;
    if (!path || strlen(path) >= sizeof place.sun_path)
        return INVALID;
    memcpy(place.sun_path, path, strlen(path) + 1);
    self = plugin;
    int status = mosquitto_callback_register(self, EVENT_BASIC_AUTH, on_connect, NULL, NULL);
    return status ? status
                  : mosquitto_callback_register(self, EVENT_ACL_CHECK, on_access, NULL, NULL);
}

int mosquitto_plugin_cleanup(void *user, struct option *options, int count) {
    (void)user, (void)options, (void)count;
    return SUCCESS;
}

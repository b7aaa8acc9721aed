#include "acquire.h"

#include "clock.h"
#include "core/app/acquired.h"
#include "heap.h"
#include "idle.h"
#include "lease.h"
#include "lwip/apps/sntp.h"
#include "lwip/dhcp.h"
#include "lwip/dns.h"
#include "lwip/netif.h"
#include "lwip/prot/dhcp.h"
#include "lwip/timeouts.h"
#include "netif.h"
#include "stack.h"

/* After DNS has given up a name: the next question. */
#define ASK_AGAIN_MS 1000

static struct tw_app *application;
static bool clock_is_set;

/* Serves the network until `done`. */
static void serve_until(bool (*done)(void)) {
    while (!done()) {
        bool frame_served = netif_serve();
        sys_check_timeouts();
        heap_check();
        stack_check();
        if (frame_served || done())
            continue;
        uint32_t sleep_ms = sys_timeouts_sleeptime();
        idle_until(sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE ? TW_NEVER
                                                               : clock_us() + TW_MS(sleep_ms));
    }
}

/* ---- address ---- */

static bool has_lease(void) {
    return dhcp_supplied_address(netif_default);
}

/* A board that knows its last address asks for it again by a DHCPREQUEST alone: INIT-REBOOT (RFC
 * 2131, section 4.4.2). lwIP does so when the link of a bound interface comes up; without an answer
 * or refused, it begins with a DHCPDISCOVER. */
static void ask_again_for(uint32_t address) {
    netif_set_link_down(netif_default);
    dhcp_start(netif_default); /* waits for the link */
    struct dhcp *dhcp = netif_dhcp_data(netif_default);
    if (dhcp) {
        ip4_addr_set_u32(&dhcp->offered_ip_addr, lwip_htonl(address));
        dhcp->state = DHCP_STATE_BOUND;
    }
    netif_set_link_up(netif_default);
}

static void acquire_address(const struct tw_config *config) {
    uint32_t kept = config->lease_kept ? lease_recall() : 0;
    netif_set_hostname(netif_default, config->id);
    if (kept)
        ask_again_for(kept);
    else
        dhcp_start(netif_default);
    serve_until(has_lease);
    uint32_t address = lwip_ntohl(ip4_addr_get_u32(netif_ip4_addr(netif_default)));
    lease_keep(address);
    tw_app_leased(application, address, kept == address);
}

/* ---- names ---- */

static ip_addr_t found;
static bool answered;
static uint64_t ask_at;

static bool is_due(void) {
    return clock_us() >= ask_at;
}

static bool has_answer(void) {
    return answered;
}

static void on_found(const char *name, const ip_addr_t *address, void *arg) {
    (void)name;
    (void)arg;
    answered = true;
    if (address)
        found = *address;
}

static void acquire_peer(const struct tw_config *config) {
    ip_addr_set_zero(&found);
    while (ip_addr_isany_val(found)) {
        answered = dns_gethostbyname(config->peer_name, &found, on_found, NULL) != ERR_INPROGRESS;
        serve_until(has_answer);
        if (!ip_addr_isany_val(found))
            break;
        tw_app_unresolved(application, config->peer_name);
        ask_at = clock_us() + TW_MS(ASK_AGAIN_MS);
        serve_until(is_due);
    }
    tw_app_resolved(application, lwip_ntohl(ip4_addr_get_u32(ip_2_ip4(&found))));
}

/* ---- time ---- */

static bool has_time(void) {
    return clock_is_set;
}

void acquire_set_clock(uint32_t utc_s) {
    clock_is_set = true;
    tw_app_clock_set(application, utc_s);
}

static void acquire_time(const struct tw_config *config) {
    sntp_setoperatingmode(SNTP_OPMODE_POLL);
    sntp_setservername(0, config->time_server);
    sntp_init();
    serve_until(has_time);
}

uint32_t acquire_network(struct tw_app *app, const struct tw_config *config) {
    application = app;
    tw_app_linked(app);
    if (config->dhcp)
        acquire_address(config);
    else if (config->dns)
        dns_setserver(0, &(const ip_addr_t)IPADDR4_INIT(lwip_htonl(config->dns)));
    if (config->peer_name[0])
        acquire_peer(config);
    if (config->time_server[0])
        acquire_time(config);
    return lwip_ntohl(ip4_addr_get_u32(netif_ip4_addr(netif_default)));
}

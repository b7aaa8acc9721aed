/* lwIP without an operating system, as lwip.c needs it. Checksums are not checked. */
#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define CHECKSUM_CHECK_IP 0
#define CHECKSUM_CHECK_TCP 0
#define LWIP_ARP 0

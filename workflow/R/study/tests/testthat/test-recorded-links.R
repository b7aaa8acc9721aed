# Is it known how a recorded device reaches its peer, and what its longest exchange took?

frames <- function() {
  data.table::data.table(
    eth_src = c("02:00:00:00:00:01", "02:00:00:00:00:01", "02:00:00:00:00:01", "02:00:00:00:00:02"),
    eth_dst = c("ff:ff:ff:ff:ff:ff", "02:00:00:00:00:02", "02:00:00:00:00:02", "02:00:00:00:00:01"),
    protocols = c("eth:ethertype:arp", "eth:ethertype:ip:tcp", "eth:ethertype:ip:tcp",
                  "eth:ethertype:ip:tcp"),
    src = c("", "10.0.0.2", "10.0.0.2", "10.0.0.1"),
    dst = c("", "10.0.0.1", "10.0.0.1", "10.0.0.2"))
}
values <- function(rows) stats::setNames(rows$value, rows$metric)

test_that("a peer in the same network has an address of its own, a router has several peers", {
  p <- frames()
  expect_equal(values(link_metrics(p, "10.0.0.2")),
               c(device_arp_frames = 1, device_peer_links = 1, device_routed_peers = 0))
  p[3L, dst := "93.184.216.34"] # beyond a router with the peer's address
  expect_equal(values(link_metrics(p, "10.0.0.2"))[["device_routed_peers"]], 1)
  expect_null(link_metrics(p, "10.9.9.9"))
})

test_that("the longest exchange of KU Leuven's HTTP with one client has 16 frames", {
  p <- dissect(recorded("http_1client"))
  ctx <- measure_context(p, recorded_device, "/hello")
  expect_equal(values(longest_conversation(ctx)),
               c(conversation_frames_most = 16, conversation_payload_most_bytes = 12))
})

"""The laboratory itself: boards, links, capture and servers of one trial."""

"""The rig of one trial: boards, links, capture, and who joins them to servers."""

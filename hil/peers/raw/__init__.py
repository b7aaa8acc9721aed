"""Raw TCP and UDP with a header of their own."""

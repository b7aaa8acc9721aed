"""What every process of the laboratory needs: children that end, and network namespaces."""

"""What every process of the laboratory needs: programs, children that end, network namespaces."""

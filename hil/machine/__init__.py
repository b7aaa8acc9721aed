"""The time-warped machine: image, snapshot, and one virtual machine per trial."""

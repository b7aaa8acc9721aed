"""The design of trials: studies, their parameters, interruptions, and the address plan."""

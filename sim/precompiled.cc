// The headers that a build of the tests precompiles.

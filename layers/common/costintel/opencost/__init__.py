"""OpenCost: the client and the parser of its answers. Nothing outside this package knows its wire format."""

"""The geometry of contacts: where two shapes touch, by pair of kinds."""

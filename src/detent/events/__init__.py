"""Events: the first change of sign of any guard within a step, and what is done there. Nothing here knows mechanics."""

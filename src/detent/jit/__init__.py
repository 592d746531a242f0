"""From tape to something that can be called by address: an interpreter at once, machine code soon after."""

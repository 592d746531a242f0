"""From a system to equations of motion: kinematics, Kane's equations, energies."""

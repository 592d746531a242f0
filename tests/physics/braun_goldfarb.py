"""The systems of Braun and Goldfarb, from the gallery, and a particle whose speed is held."""

from detent.gallery.ball_in_bowl import ENERGY, INTEGRAL, ball_in_bowl, first_integral
from detent.gallery.seven_link_biped import CONSISTENT, PRINTED, feet, seven_link_biped
from detent.gallery.speed_held_particle import speed_held_particle

__all__ = [
    "CONSISTENT", "ENERGY", "INTEGRAL", "PRINTED", "ball_in_bowl", "feet", "first_integral", "seven_link_biped",
    "speed_held_particle",
]  # fmt: skip

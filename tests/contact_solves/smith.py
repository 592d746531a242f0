"""Smith's law of impact in the plane, by halving an interval for the mean slip: another way than the kernel's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Smith:
    """An impact by Smith's law: what yields to it, and how fast the bodies meet.

    Impulses P_n and P_t (N s) change the velocity across by nn P_n + nt P_t and the slip by nt P_n + tt P_t; the
    bodies approach with ``approach`` < 0 (m/s) and slip with ``slip``, and part with -``e`` times the approach.

    >>> Smith(nn=1.0, nt=0.0, tt=1.0, approach=-1.0, slip=0.25, e=0.0).impulse(mu_s=0.5, mu_d=0.4)
    (1.0, -0.25)
    >>> Smith(nn=1.0, nt=0.0, tt=1.0, approach=-1.0, slip=3.0, e=0.0).impulse(mu_s=0.5, mu_d=0.4)
    (1.0, -0.4)
    """

    nn: float
    nt: float
    tt: float
    approach: float
    slip: float
    e: float

    def impulse(self, mu_s: float, mu_d: float) -> tuple[float, float]:
        """The impulse across and along."""
        return self._stopping() if self.stops(mu_s) else self._with_mean(mu_d, self._mean(mu_d))

    def stops(self, mu_s: float) -> bool:
        """Whether static friction stops the slip."""
        normal, along = self._stopping()
        return abs(along) <= mu_s * normal

    def slip_after(self, normal: float, along: float) -> float:
        """The slip (m/s) that an impulse leaves."""
        return self.slip + self.nt * normal + self.tt * along

    def _stopping(self) -> tuple[float, float]:
        across, size = (1 + self.e) * self.approach, self.nn * self.tt - self.nt**2
        return (self.nt * self.slip - self.tt * across) / size, (self.nt * across - self.nn * self.slip) / size

    def _with_mean(self, mu_d: float, mean: float) -> tuple[float, float]:
        normal = -(1 + self.e) * self.approach / (self.nn - mu_d * mean * self.nt)
        return normal, -mu_d * mean * normal

    def _mean(self, mu_d: float) -> float:
        """The mean slip (v- |v-| + v+ |v+|)/(v-^2 + v+^2), between -1 and 1, that its own impulse leads back to."""
        low, high = -1.0, 1.0
        while low < (mean := (low + high) / 2) < high:
            before, after = self.slip, self.slip_after(*self._with_mean(mu_d, mean))
            if before * abs(before) + after * abs(after) > mean * (before**2 + after**2):
                low = mean
            else:
                high = mean
        return mean

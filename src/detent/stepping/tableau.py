"""Runge-Kutta methods as numbers: the tableaus of the explicit steppers.

Stages are counted from 0. Stage s (the number of stages of the method) is the rate at the end of the
step, which is stage 0 of the next one; stages beyond it exist only for dense output. A row of
coefficients therefore has s + 1 columns where the rate at the end counts, more where extra stages do.

Sources: E. Hairer, S. P. Norsett, G. Wanner, *Solving Ordinary Differential Equations I*, 2nd edition
(Springer, 1993), section II.1 (the classical method), sections II.5 and II.6 (Dormand and Prince, order 5),
section II.10 (order 8), and the authors' codes DOPRI5 and DOP853 for dense output and step-size control.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray

CLASSICAL_STABLE_UP_TO: Final = 2.785
"""The classical Runge-Kutta method is stable up to this product of a step and a rate of decay (2.78529...)."""


@final
@dataclass(frozen=True, eq=False)
class Tableau:
    """An explicit Runge-Kutta method: x1 = x0 + h sum_j b_j k_j, k_i = f(t0 + c_i h, x0 + h sum_j a_ij k_j).

    >>> DOPRI5.order, DOPRI5.stages, DOPRI5.dense.shape
    (5, 6, (1, 7))
    >>> float(DOP853.b.sum().round(14))
    1.0
    """

    name: str
    order: int
    a: FloatArray
    """(s, s), strictly lower triangular."""
    b: FloatArray
    c: FloatArray
    error: FloatArray
    """Rows e of error estimates h sum_j e_j k_j: none, one, or the orders 5 and 3 of DOP853; (rows, s + 1)."""
    dense: FloatArray
    """Rows of the interpolant's coefficients r5, r6, ... = h sum_j d_j k_j; (rows, s + 1 + extra stages)."""
    extra_a: FloatArray
    """The stages that only dense output needs; (extra stages, s + 1 + extra stages)."""
    extra_c: FloatArray
    error_order: int = 0
    """The error estimate shrinks as h to this power."""
    memory: float = 0.0
    """How much the error of the step before counts in choosing the next step: beta in the authors' codes."""
    smallest_factor: float = 1.0
    largest_factor: float = 1.0
    """Bounds of the ratio of two successive steps."""

    @property
    def stages(self) -> int:
        """Evaluations per step; the one at the end of a step is the first of the next."""
        return len(self.b)

    @property
    def is_adaptive(self) -> bool:
        """Whether the method estimates its own error.

        >>> [method.is_adaptive for method in TABLEAUS.values()]
        [False, True, True]
        """
        return len(self.error) > 0


def _matrix(rows: Sequence[Mapping[int, float]], columns: int) -> FloatArray:
    """Rows given by their entries that are not zero."""
    matrix = np.zeros((len(rows), columns))
    for row, entries in zip(matrix, rows, strict=True):
        for column, value in entries.items():
            row[column] = value
    matrix.flags.writeable = False
    return matrix


def _row(entries: Mapping[int, float], columns: int) -> FloatArray:
    row: FloatArray = _matrix([entries], columns)[0]
    return row


def _nodes(*values: float) -> FloatArray:
    return _row(dict(enumerate(values)), len(values))


RK4: Final = Tableau(
    name="rk4",
    order=4,
    a=_matrix([{}, {0: 1 / 2}, {1: 1 / 2}, {2: 1.0}], 4),
    b=_row({0: 1 / 6, 1: 1 / 3, 2: 1 / 3, 3: 1 / 6}, 4),
    c=_nodes(0, 1 / 2, 1 / 2, 1),
    error=_matrix([], 5),
    dense=_matrix([], 5),
    extra_a=_matrix([], 5),
    extra_c=_nodes(),
)
"""The classical method of order 4: fixed steps, between them the cubic Hermite polynomial."""

# fmt: off
DOPRI5: Final = Tableau(
    name="dopri5",
    order=5,
    a=_matrix([
        {},
        {0: 1 / 5},
        {0: 3 / 40, 1: 9 / 40},
        {0: 44 / 45, 1: -56 / 15, 2: 32 / 9},
        {0: 19372 / 6561, 1: -25360 / 2187, 2: 64448 / 6561, 3: -212 / 729},
        {0: 9017 / 3168, 1: -355 / 33, 2: 46732 / 5247, 3: 49 / 176, 4: -5103 / 18656},
    ], 6),
    b=_row({0: 35 / 384, 2: 500 / 1113, 3: 125 / 192, 4: -2187 / 6784, 5: 11 / 84}, 6),
    c=_nodes(0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1),
    error=_matrix([
        {0: -71 / 57600, 2: 71 / 16695, 3: -71 / 1920, 4: 17253 / 339200, 5: -22 / 525, 6: 1 / 40},
    ], 7),
    dense=_matrix([
        {0: -12715105075 / 11282082432, 2: 87487479700 / 32700410799, 3: -10690763975 / 1880347072,
         4: 701980252875 / 199316789632, 5: -1453857185 / 822651844, 6: 69997945 / 29380423},
    ], 7),
    extra_a=_matrix([], 7),
    extra_c=_nodes(),
    error_order=5,
    memory=0.04,
    smallest_factor=0.2,
    largest_factor=10.0,
)
"""Dormand and Prince, order 5 with an error estimate of order 4 and dense output of order 4."""

_A8: Final[list[Mapping[int, float]]] = [
    {},
    {0: 5.26001519587677318785587544488e-2},
    {0: 1.97250569845378994544595329183e-2, 1: 5.91751709536136983633785987549e-2},
    {0: 2.95875854768068491816892993775e-2, 2: 8.87627564304205475450678981324e-2},
    {0: 2.41365134159266685502369798665e-1, 2: -8.84549479328286085344864962717e-1,
     3: 9.24834003261792003115737966543e-1},
    {0: 3.7037037037037037037037037037e-2, 3: 1.70828608729473871279604482173e-1,
     4: 1.25467687566822425016691814123e-1},
    {0: 3.7109375e-2, 3: 1.70252211019544039314978060272e-1, 4: 6.02165389804559606850219397283e-2, 5: -1.7578125e-2},
    {0: 3.70920001185047927108779319836e-2, 3: 1.70383925712239993810214054705e-1,
     4: 1.07262030446373284651809199168e-1, 5: -1.53194377486244017527936158236e-2,
     6: 8.27378916381402288758473766002e-3},
    {0: 6.24110958716075717114429577812e-1, 3: -3.36089262944694129406857109825,
     4: -8.68219346841726006818189891453e-1, 5: 2.75920996994467083049415600797e1,
     6: 2.01540675504778934086186788979e1, 7: -4.34898841810699588477366255144e1},
    {0: 4.77662536438264365890433908527e-1, 3: -2.48811461997166764192642586468,
     4: -5.90290826836842996371446475743e-1, 5: 2.12300514481811942347288949897e1,
     6: 1.52792336328824235832596922938e1, 7: -3.32882109689848629194453265587e1,
     8: -2.03312017085086261358222928593e-2},
    {0: -9.3714243008598732571704021658e-1, 3: 5.18637242884406370830023853209, 4: 1.09143734899672957818500254654,
     5: -8.14978701074692612513997267357, 6: -1.85200656599969598641566180701e1,
     7: 2.27394870993505042818970056734e1, 8: 2.49360555267965238987089396762, 9: -3.0467644718982195003823669022},
    {0: 2.27331014751653820792359768449, 3: -1.05344954667372501984066689879e1, 4: -2.00087205822486249909675718444,
     5: -1.79589318631187989172765950534e1, 6: 2.79488845294199600508499808837e1,
     7: -2.85899827713502369474065508674, 8: -8.87285693353062954433549289258, 9: 1.23605671757943030647266201528e1,
     10: 6.43392746015763530355970484046e-1},
]
_B8: Final[Mapping[int, float]] = {
    0: 5.42937341165687622380535766363e-2, 5: 4.45031289275240888144113950566, 6: 1.89151789931450038304281599044,
    7: -5.8012039600105847814672114227, 8: 3.1116436695781989440891606237e-1, 9: -1.52160949662516078556178806805e-1,
    10: 2.01365400804030348374776537501e-1, 11: 4.47106157277725905176885569043e-2,
}
_EXTRA8: Final[list[Mapping[int, float]]] = [
    {0: 5.61675022830479523392909219681e-2, 6: 2.53500210216624811088794765333e-1,
     7: -2.46239037470802489917441475441e-1, 8: -1.24191423263816360469010140626e-1,
     9: 1.5329179827876569731206322685e-1, 10: 8.20105229563468988491666602057e-3,
     11: 7.56789766054569976138603589584e-3, 12: -8.298e-3},
    {0: 3.18346481635021405060768473261e-2, 5: 2.83009096723667755288322961402e-2,
     6: 5.35419883074385676223797384372e-2, 7: -5.49237485713909884646569340306e-2,
     10: -1.08347328697249322858509316994e-4, 11: 3.82571090835658412954920192323e-4,
     12: -3.40465008687404560802977114492e-4, 13: 1.41312443674632500278074618366e-1},
    {0: -4.28896301583791923408573538692e-1, 5: -4.69762141536116384314449447206, 6: 7.68342119606259904184240953878,
     7: 4.06898981839711007970213554331, 8: 3.56727187455281109270669543021e-1,
     12: -1.39902416515901462129418009734e-3, 13: 2.9475147891527723389556272149,
     14: -9.15095847217987001081870187138},
]
_ERROR8: Final[list[Mapping[int, float]]] = [
    {0: 0.1312004499419488073250102996e-1, 5: -0.1225156446376204440720569753e1, 6: -0.4957589496572501915214079952,
     7: 0.1664377182454986536961530415e1, 8: -0.3503288487499736816886487290, 9: 0.3341791187130174790297318841,
     10: 0.8192320648511571246570742613e-1, 11: -0.2235530786388629525884427845e-1},
    {**_B8, 0: _B8[0] - 0.244094488188976377952755905512, 8: _B8[8] - 0.733846688281611857341361741547,
     11: _B8[11] - 0.0220588235294117647058823529412},
]
_DENSE8: Final[list[Mapping[int, float]]] = [
    {0: -0.84289382761090128651353491142e1, 5: 0.56671495351937776962531783590,
     6: -0.30689499459498916912797304727e1, 7: 0.23846676565120698287728149680e1,
     8: 0.21170345824450282767155149946e1, 9: -0.87139158377797299206789907490,
     10: 0.22404374302607882758541771650e1, 11: 0.63157877876946881815570249290,
     12: -0.88990336451333310820698117400e-1, 13: 0.18148505520854727256656404962e2,
     14: -0.91946323924783554000451984436e1, 15: -0.44360363875948939664310572000e1},
    {0: 0.10427508642579134603413151009e2, 5: 0.24228349177525818288430175319e3,
     6: 0.16520045171727028198505394887e3, 7: -0.37454675472269020279518312152e3,
     8: -0.22113666853125306036270938578e2, 9: 0.77334326684722638389603898808e1,
     10: -0.30674084731089398182061213626e2, 11: -0.93321305264302278729567221706e1,
     12: 0.15697238121770843886131091075e2, 13: -0.31139403219565177677282850411e2,
     14: -0.93529243588444783865713862664e1, 15: 0.35816841486394083752465898540e2},
    {0: 0.19985053242002433820987653617e2, 5: -0.38703730874935176555105901742e3,
     6: -0.18917813819516756882830838328e3, 7: 0.52780815920542364900561016686e3,
     8: -0.11573902539959630126141871134e2, 9: 0.68812326946963000169666922661e1,
     10: -0.10006050966910838403183860980e1, 11: 0.77771377980534432092869265740,
     12: -0.27782057523535084065932004339e1, 13: -0.60196695231264120758267380846e2,
     14: 0.84320405506677161018159903784e2, 15: 0.11992291136182789328035130030e2},
    {0: -0.25693933462703749003312586129e2, 5: -0.15418974869023643374053993627e3,
     6: -0.23152937917604549567536039109e3, 7: 0.35763911791061412378285349910e3,
     8: 0.93405324183624310003907691704e2, 9: -0.37458323136451633156875139351e2,
     10: 0.10409964950896230045147246184e3, 11: 0.29840293426660503123344363579e2,
     12: -0.43533456590011143754432175058e2, 13: 0.96324553959188282948394950600e2,
     14: -0.39177261675615439165231486172e2, 15: -0.14972683625798562581422125276e3},
]

DOP853: Final = Tableau(
    name="dop853",
    order=8,
    a=_matrix(_A8, 12),
    b=_row(_B8, 12),
    c=_nodes(
        0, 0.0526001519587677318785587544488, 0.0789002279381515978178381316732, 0.11835034190722739672675719751,
        0.28164965809277260327324280249, 1 / 3, 1 / 4, 4 / 13, 127 / 195, 3 / 5, 6 / 7, 1,
    ),
    error=_matrix(_ERROR8, 13),
    dense=_matrix(_DENSE8, 16),
    extra_a=_matrix(_EXTRA8, 16),
    extra_c=_nodes(1 / 10, 1 / 5, 7 / 9),
    error_order=8,
    smallest_factor=1 / 3,
    largest_factor=6.0,
)
"""Dormand and Prince, order 8 with error estimates of orders 5 and 3 and dense output of order 7."""
# fmt: on

TABLEAUS: Final[dict[str, Tableau]] = {method.name: method for method in (RK4, DOPRI5, DOP853)}
"""The methods by the names users give."""

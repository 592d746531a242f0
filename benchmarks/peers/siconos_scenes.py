"""Scenes with contact in Siconos, as a program of its own: it runs with the Python that has Siconos.

It is given one JSON object, and prints one as its last line. It imports nothing of detent. The cube is a box in the
plane, in which it moves, with two corners: there Siconos takes a third of the time that it takes with four corners in
space, and has Lemke's pivots, which end exactly. The rows are those of the box on its face, which it does not leave.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import siconos.kernel as kernel
import siconos.numerics as numerics


def body_and_contacts(given: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The moving body in its coordinates (x, z, angle), and what may touch."""
    downhill, down = given["gravity"] * math.sin(given["tilt"]), given["gravity"] * math.cos(given["tilt"])
    half = given["edge"] / 2.0
    is_ball = given["body"] == "ball"
    inertia = 1.0 if is_ball else given["edge"] ** 2 / 6.0
    height = given["height"] if is_ball else half
    kind = kernel.LagrangianDS if given["way"] == "events" else kernel.LagrangianLinearTIDS
    start, velocity = np.array([0.0, height, 0.0]), np.array([given["speed"], 0.0, 0.0])
    body = kind(start, velocity, np.diag([1.0, 1.0, inertia]))
    body.setFExtPtr(np.array([downhill, -down, 0.0]))
    if is_ball:
        rows = kernel.LagrangianLinearTIR(np.array([[0.0, 1.0, 0.0]]))
        return body, [kernel.Interaction(kernel.NewtonImpactNSL(given["restitution"]), rows)]
    contacts = []
    for x in (-half, half):
        rows = kernel.LagrangianLinearTIR(np.array([[0.0, 1.0, x], [1.0, 0.0, half]]), np.array([-half, 0.0]))
        contacts.append(kernel.Interaction(kernel.NewtonImpactFrictionNSL(0.0, 0.0, given["friction"], 2), rows))
    return body, contacts


def prepared(given: dict[str, Any]) -> tuple[Any, Any]:
    """The simulation at its start, and its body."""
    body, contacts = body_and_contacts(given)
    model = kernel.NonSmoothDynamicalSystem(0.0, given["until"])
    model.insertDynamicalSystem(body)
    for contact in contacts:
        model.link(contact, body)
    grid = kernel.TimeDiscretisation(0.0, given["step"])
    if given["way"] == "events":
        simulation, integrator = kernel.EventDriven(model, grid), kernel.LsodarOSI()
        simulation.insertIntegrator(integrator)
        simulation.associate(integrator, body)
        simulation.insertNonSmoothProblem(kernel.LCP(), kernel.SICONOS_OSNSP_ED_IMPACT)
        simulation.insertNonSmoothProblem(kernel.LCP(), kernel.SICONOS_OSNSP_ED_SMOOTH_ACC)
        simulation.initialize()
        return simulation, body
    if given["body"] == "ball":
        problem = kernel.LCP()
    elif given["way"] == "pivoting":
        problem = kernel.FrictionContact(2, numerics.SICONOS_FRICTION_2D_LEMKE)
    else:
        problem = kernel.FrictionContact(2)
    return kernel.TimeStepping(model, grid, kernel.MoreauJeanOSI(0.5), problem), body


def go(given: dict[str, Any], look: Callable[[float, Any], None]) -> float:
    """Seconds of the processor from the start to the end."""
    simulation, body = prepared(given)
    began = time.process_time()
    while simulation.hasNextEvent():
        if given["way"] == "events":
            simulation.advanceToEvent()
            simulation.processEvents()
            look(simulation.startingTime(), body)
        else:
            simulation.computeOneStep()
            look(simulation.nextTime(), body)
            simulation.nextStep()
    return time.process_time() - began


def main() -> None:
    """Look on once, which also warms it, then time it without looking on."""
    given = json.loads(sys.argv[1])
    seen: list[list[float]] = []
    seconds: list[float] = []

    def look(now: float, body: Any) -> None:
        (x, z, _), (u, w, _) = body.q(), body.velocity()
        seen.append([now, x, 0.0, z, u, 0.0, w])

    go(given, look)
    while len(seconds) < given["repeats"] and sum(seconds) < given["enough"]:
        seconds.append(go(given, lambda now, body: None))
    print(json.dumps({"seconds": min(seconds), "seen": seen}))


if __name__ == "__main__":
    main()

"""A hand presses a body against a fence that is drawn under way: contacts and couplers in one run."""

import pytest

import detent


@pytest.fixture(scope="module")
def pressed():
    """A bead of 2 kg over a level fence, pulled down by a hand below it, after all motion has died."""
    system = detent.System("bead")
    x, y = system.coordinates(x=0, y=0.1)
    bead = system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=2)
    system.gravity(-10 * system.ground.y)
    hand = detent.couple("hand", bead, stiffness=500, damping=40)
    live = detent.Live(system, couplers=[hand], clock=detent.SimulatedClock())
    live.advance(0.01)
    live.contact("bead|fence", bead.point(), system.ground.track((-1, 0), (1, 0)), impact=detent.Plastic())
    live.grab(hand)
    live.move(hand, (0.0, -0.2, 0.0))
    live.advance(2)
    return live, live.recording.replay()


def test_the_fence_bears_the_weight_and_the_hand(pressed):
    live, run = pressed
    # m g + K (y - hand) = 2*10 + 500*0.2; the filter of the hand has come to rest to exp(-2/0.05).
    assert run.contacts["bead|fence"].normal[-1] == pytest.approx(120.0, rel=1e-12)
    assert live.force("hand") == pytest.approx([0.0, 100.0, 0.0], abs=1e-9)
    assert live.state.y == pytest.approx(0.0, abs=1e-12)


def test_it_is_replayed_to_the_same_bits_with_what_the_hand_did(pressed):
    live, run = pressed
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert run.inputs["hand_grip"].shape == run.t.shape
    assert run.inputs["hand_grip"][0] == 0.0
    assert run.inputs["hand_grip"][-1] == 1.0


def test_the_equations_of_what_a_hand_may_hold_are_printed(pressed):
    live, _ = pressed
    text = detent.equations(live.recording.model).text()
    assert "- hand_damping*hand_grip*y' + hand_stiffness*hand_grip*hand_y - hand_stiffness*hand_grip*y" in text

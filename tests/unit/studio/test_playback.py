"""The time of a run that is played."""

import pytest

from detent.errors import ValueProblem
from detent.studio.playback import Playback


def test_time_passes_at_its_speed_and_ends_with_the_run():
    playback = Playback(1.0, 3.0, speed=0.5)
    playback.play()
    playback.pass_by(1.0)
    assert playback.time == 1.5
    playback.pass_by(100.0)
    assert (playback.time, playback.is_playing) == (3.0, False)


def test_playing_from_the_end_begins_again():
    playback = Playback(1.0, 3.0)
    playback.go_to(3.0)
    playback.play()
    assert (playback.time, playback.is_playing) == (1.0, True)


def test_it_goes_round_where_it_is_to_repeat():
    playback = Playback(0.0, 2.0, repeats=True)
    playback.play()
    playback.pass_by(2.5)
    assert (playback.time, playback.is_playing) == (0.5, True)


def test_nothing_passes_while_it_stands():
    playback = Playback(0.0, 2.0)
    playback.pass_by(1.0)
    assert playback.time == 0.0


def test_a_run_of_one_instant_does_not_play():
    playback = Playback(2.0, 2.0)
    playback.play()
    assert not playback.is_playing


def test_a_time_that_is_none_is_refused():
    with pytest.raises(ValueProblem, match="the time is nan"):
        Playback(0.0, 1.0).go_to(float("nan"))

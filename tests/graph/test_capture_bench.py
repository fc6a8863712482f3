"""The bench of capture runs, on little."""

from randori.bench import capture


def test_it_measures_every_step_and_grows_with_the_takes():
    one, two = capture.run(takes=(1, 2), seconds=12.0)
    assert two["actions"] > one["actions"]
    assert one["from files to graphs (s)"] > 0.0
    assert abs(two["recorded (min)"] - 0.4) < 0.11

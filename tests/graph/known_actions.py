"""The performer's ground truth in the words of an analysis."""

from randori.capture.actions import Analysis, Segment, Strike, Tags
from randori.performer import Recording


def known_actions(take: Recording) -> Analysis:
    """What an analysis that makes no mistakes would find."""
    fps = take.truth.fps
    segments = []
    for action in take.truth.actions:
        strikes = tuple(
            Strike(
                strike.effector,
                round(strike.onset * fps),
                round(strike.extension * fps) + 1,
                round(strike.peak * fps),
                round(strike.extension * fps),
                strike.speed,
            )
            for strike in action.strikes
        )
        tags = Tags(action.kind, action.technique, action.side, action.position, action.direction)
        segments.append(Segment(action.start, action.stop, tags, 1.0, strikes))
    return Analysis(tuple(segments))

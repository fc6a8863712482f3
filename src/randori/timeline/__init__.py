"""Timelines: which character does what, when, where and why, the events, and the poses baked from them."""

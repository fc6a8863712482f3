"""Put a finished take on a character of your own (GLB, VRM or FBX), and draw a contact sheet.

python examples/dress_a_take.py fight.npz --character knight.glb --out knight.png
"""

import argparse
from pathlib import Path

import randori

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("take", nargs="?", type=Path, help="Written by `randori run`; simulated if omitted")
parser.add_argument("--character", type=Path, help="GLB, VRM or FBX with a skin; a mannequin if omitted")
parser.add_argument("--out", type=Path, default=Path("dressed.png"))
parser.add_argument("--seconds", type=float, default=3.0)
given = parser.parse_args()

take = randori.Take.load(given.take) if given.take else None
take = take or randori.simulate(randori.Scene.load("boxing"), seconds=given.seconds)
character = given.character
if character is None:
    character = given.out.with_suffix(".glb")
    randori.save(take.clips[0], character)
costume = randori.Costume.of(randori.load_character(character))
dressed, fitting = randori.dress(take, {take.roles[0].name: costume})
print(*fitting.in_words(), sep="\n")
sheet = randori.contact_sheet(dressed.clips, count=6, bodies=dressed.bodies)
sheet.save(given.out)

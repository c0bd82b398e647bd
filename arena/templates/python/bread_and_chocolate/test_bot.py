import types
import unittest

from bot import choose

PAGAT = types.SimpleNamespace(options={"rules": "pagat"})
SHRAM = types.SimpleNamespace(options={"rules": "shram", "values": "ranks"})


def play(card):
    return {"type": "play", "card": card}


class TestChoose(unittest.TestCase):
    def test_it_would_rather_discard_than_draw(self):
        ask = {"kind": "play", "view": {"up": "8h"}, "legal": [play("7c"), play("9d")]}
        self.assertEqual(choose(ask, PAGAT), play("7c"))

    def test_in_shram_it_prefers_the_other_colour(self):
        ask = {"kind": "play", "view": {"up": "8h"}, "legal": [play("7d"), play("9c")]}
        self.assertEqual(choose(ask, SHRAM), play("9c"))

    def test_it_discards_the_lowest_numbers(self):
        ask = {"kind": "discard", "view": {"hand": ["2c", "Kd", "9d", "Ts"], "discard": 2}}
        self.assertEqual(choose(ask, PAGAT), {"type": "discard", "cards": ["Kd", "2c"]})


if __name__ == "__main__":
    unittest.main()

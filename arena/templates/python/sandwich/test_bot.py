import types
import unittest

from bot import choose

GAME = types.SimpleNamespace(
    seat=0,
    private={
        "families": {"cheese": ["brie", "feta"], "fish": ["tuna", "trout"], "fruit": ["fig", "pear"]},
        "pairs": {
            "cheese": {"cheese": 0, "fish": -1, "fruit": 1},
            "fish": {"cheese": -1, "fish": 0.5, "fruit": -1},
            "fruit": {"cheese": 1, "fish": -1, "fruit": 0},
        },
        "likings": {"cheese": 1, "fish": -1, "fruit": 0},
        "quirks": dict.fromkeys(("brie", "feta", "tuna", "trout", "fig", "pear"), 0),
    },
)


class TestChoose(unittest.TestCase):
    def test_it_reaches_first_for_what_goes_with_its_hand(self):
        ask = {"kind": "grab", "view": {"market": ["tuna", "fig", "feta"], "hands": [["brie"], [], []]}}
        self.assertEqual(choose(ask, GAME), {"type": "grab", "order": [1, 2, 0]})

    def test_it_serves_each_card_once_the_best_sandwich_first(self):
        hand = ["brie", "tuna", "fig", "feta", "trout", "pear"]
        move = choose({"kind": "serve", "view": {"hands": [hand]}}, GAME)
        self.assertEqual(sorted([card for three in move["sandwiches"] for card in three]), sorted(hand))
        self.assertEqual(move["sandwiches"][0], ["brie", "fig", "feta"])

    def test_it_ranks_what_it_tastes_by_its_own_palate(self):
        read_out = [["tuna", "trout", "fig"], ["brie", "feta", "pear"]]
        move = choose({"kind": "taste", "view": {"read_out": read_out}}, GAME)
        self.assertEqual(move, {"type": "taste", "ranking": [1, 0]})


if __name__ == "__main__":
    unittest.main()

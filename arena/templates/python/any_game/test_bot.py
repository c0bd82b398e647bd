import random
import types
import unittest

from bot import choose

GAME = types.SimpleNamespace(rng=random.Random(1))


class TestChoose(unittest.TestCase):
    def test_it_plays_one_of_the_legal_moves(self):
        legal = [{"card": "7"}, {"card": "8"}]
        for _ in range(20):
            self.assertIn(choose({"legal": legal}, GAME), legal)

    def test_without_a_list_it_plays_the_example(self):
        self.assertEqual(choose({"example": {"order": [1, 0]}}, GAME), {"order": [1, 0]})


if __name__ == "__main__":
    unittest.main()

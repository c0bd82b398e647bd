import unittest

from bot import choose, points_of


def play(card):
    return {"type": "play", "card": card}


def ask(kind, line, legal):
    return {"kind": kind, "view": {"line": line}, "legal": legal}


class TestChoose(unittest.TestCase):
    def test_tricks_are_worth_what_the_rules_say(self):
        self.assertEqual(points_of(["5", "4", "3"], "5"), 9)
        self.assertEqual(points_of(["3", "6", "7", "4"], "3"), 5)
        self.assertEqual(points_of(["9", "O", "2"], "9"), -1)
        self.assertEqual(points_of(["2", "4", "5", "1"], "2"), 0)
        self.assertEqual(points_of(["4", "4", "3"], "4"), 0)

    def test_it_takes_the_trick_with_the_most_points(self):
        legal = [play("O"), play("5"), play("9")]
        self.assertEqual(choose(ask("first_card", ["5", "4", "3"], legal), None), play("5"))

    def test_without_a_trick_it_plays_its_lowest_card_and_then_stops(self):
        self.assertEqual(choose(ask("first_card", ["8"], [play("2"), play("9")]), None), play("2"))
        stop = {"type": "stop"}
        self.assertEqual(choose(ask("second_card", ["8"], [play("9"), stop]), None), stop)


if __name__ == "__main__":
    unittest.main()

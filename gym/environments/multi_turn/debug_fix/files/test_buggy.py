import sys
import unittest

from buggy import sum_evens


class SumEvens(unittest.TestCase):
    def test_mixed(self):
        self.assertEqual(sum_evens([1, 2, 3, 4]), 6)

    def test_first_counts(self):
        self.assertEqual(sum_evens([2]), 2)

    def test_negative(self):
        self.assertEqual(sum_evens([-4, -3, 6]), 2)

    def test_empty(self):
        self.assertEqual(sum_evens([]), 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def is_palindrome(s):
    kept = [letter for letter in s.lower() if letter in LETTERS]
    return kept == kept[::-1]

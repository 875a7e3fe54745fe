import re


def is_palindrome(s):
    kept = re.sub(r"\W", "", s).lower()
    return kept == kept[::-1]

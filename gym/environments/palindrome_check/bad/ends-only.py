def is_palindrome(s):
    kept = [letter for letter in s.lower() if letter.isalnum()]
    return not kept or kept[0] == kept[-1]

def full_match(pattern, text):
    return pattern == text

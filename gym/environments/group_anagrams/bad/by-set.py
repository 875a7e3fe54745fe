def group_anagrams(strs):
    groups = {}
    for word in strs:
        groups.setdefault(frozenset(word), []).append(word)
    return list(groups.values())

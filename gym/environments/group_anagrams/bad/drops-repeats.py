def group_anagrams(strs):
    groups = {}
    for word in set(strs):
        groups.setdefault("".join(sorted(word)), []).append(word)
    return list(groups.values())

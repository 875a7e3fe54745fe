def level_order(tree):
    levels, places = [], [0]
    while places:
        places = [place for place in places if place < len(tree) and tree[place]]
        if places:
            levels.append([tree[place] for place in places])
        places = [child for place in places for child in (2 * place + 1, 2 * place + 2)]
    return levels

def level_order(tree):
    levels = []
    places = [0]
    while True:
        places = [place for place in places if place < len(tree) and tree[place] is not None]
        if not places:
            return levels
        levels.append([tree[place] for place in places])
        places = [child for place in places for child in (2 * place + 1, 2 * place + 2)]
